/* Parts: files that a model includes, each read by a reader of its own. Internal to read*.c. */
#ifndef TRM_MODEL_READ_INCLUDE_H
#define TRM_MODEL_READ_INCLUDE_H

#include "model/read_parts.h"

/* read_include.c: the files under `include`, and those that they include; their parameters are
 * evaluated and their names known. False: something about them was reported. */
bool trm_read_include(trm_reader *reader);

/* read_tree.c: the text of the document, where it has none yet, and its tree. Unless TRM_OK or
 * TRM_NO_MEMORY, what is wrong was reported. */
trm_status trm_read_tree(trm_reader *reader);

/* part_name.c */

/* Whether the keys of a section are names of things, and so of the one name space. */
bool trm_part_is_named(const char *section);
/* Gives the names of a part their prefix. */
bool trm_part_prefix(trm_reader *part);
/* The same for what its initial conditions are about; every part is known by then. */
bool trm_part_prefix_initial(trm_reader *part);
/* What a reference in a part ("arm", "arm.P", "ground.O", "arm.P.vx") is called in the model: names
 * that the part does not have are those of the file that includes it. */
const char *trm_part_name(trm_reader *reader, const char *text);
/* The entry of a section that a name of the model stands for, and the file it is in; or NULL. */
const trm_yaml *trm_part_find(trm_reader *reader, const char *section, const char *name,
                              size_t length, trm_reader **owner);

/* The point of the ground where the origin of a moved part is, "ground.p_origin". */
const char *trm_part_origin(trm_reader *reader);

/* part_formula.c: a formula of a part in the names and axes of the model. */
const char *trm_part_formula(trm_reader *reader, const char *text);
/* Where a character of it stands in `text`. */
size_t trm_part_formula_origin(trm_reader *reader, const char *text, size_t offset);
/* value → sign value + shift */
void trm_part_value(trm_reader *reader, trm_value *value, double sign, double shift);

/* part_measure.c: a measure of the model is sign × that of the part + shift. Without a field the
 * name is that of a joint with one freedom. */
double trm_part_sign(trm_reader *reader, const char *measure, double *shift);

/* part_place.c: a definition in the part's axes becomes one in the model's. */
void trm_part_point(const trm_reader *reader, const char *body, double at[3]);
void trm_part_body(const trm_reader *reader, trm_body_def *body);
void trm_part_joint(trm_reader *reader, trm_joint_def *joint);
void trm_part_shaft(const trm_reader *reader, trm_shaft_def *shaft);
void trm_part_force(trm_reader *reader, trm_force_def *force);
/* A file beside the part, as seen from the model's folder. */
const char *trm_part_file(trm_reader *reader, const char *file, size_t length);

#endif
