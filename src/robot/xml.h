/* XML files as trees, with the place of every element. */
#ifndef TRM_ROBOT_XML_H
#define TRM_ROBOT_XML_H

#include "base/arena.h"
#include "base/diagnostics.h"

typedef struct trm_xml_attribute {
  const char *name, *value;
} trm_xml_attribute;

typedef struct trm_xml {
  const char *name; /* without its prefix: "drake:joint" is "joint" */
  int attribute_count;
  const trm_xml_attribute *attributes;
  const char *text; /* of an element without others in it; NULL: blank */
  struct trm_xml *parent, *first, *last, *next;
  const char *file, *source; /* the line it stands in */
  int line, column;
} trm_xml;

/* Its root element; NULL, and said why. Lives as long as the arena. */
trm_xml *trm_xml_read(const char *path, trm_arena *arena, trm_diagnostics *diagnostics);

const char *trm_xml_get(const trm_xml *element, const char *name);  /* NULL: not given */
trm_xml *trm_xml_child(const trm_xml *element, const char *name);   /* the first; NULL: none */
trm_xml *trm_xml_sibling(const trm_xml *element, const char *name); /* the next; NULL: none */
trm_place trm_xml_place(const trm_xml *element);

/* Numbers of a text, at most `most`; how many there are, −1: it holds something else. */
int trm_xml_numbers(const char *text, int most, double *values);

#endif
