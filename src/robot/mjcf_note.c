/* What of MJCF has no counterpart: sections, and attributes of what is read. */
#include <string.h>

#include "robot/mjcf.h"

/* Attributes that are read, have no say in the motion, or are spoken of where they are read. */
typedef struct readable {
  const char *section, *elements, *attributes; /* section NULL: in any other, and in defaults */
} readable;

#define POSE     " pos quat axisangle xyaxes zaxis euler"
#define LIMITS   " group limited range margin solreflimit solimplimit"
#define FRICTION " frictionloss solreffriction solimpfriction"
#define TENDON   " springlength stiffness damping armature material rgba width" LIMITS FRICTION
#define RANGES   " group ctrllimited ctrlrange forcelimited forcerange actlimited actrange"

static const readable tables[] = {
    {"equality", "connect weld joint tendon",
     "class active body1 body2 site1 site2 anchor relpose joint1 joint2 tendon1 tendon2 polycoef"},
    {"tendon", "fixed spatial", "class" TENDON},
    {NULL, "equality", "active"},
    {NULL, "tendon", TENDON},
    {NULL, "option", "gravity density viscosity"},
    {NULL, "flag", "gravity"},
    {NULL, "body", "childclass mocap gravcomp" POSE},
    {NULL, "frame", "childclass" POSE},
    {NULL, "joint",
     "class type axis pos ref springref springdamper stiffness damping armature joint coef" LIMITS
         FRICTION},
    {NULL, "geom",
     "class type size fromto mass density shellinertia mesh hfield fitscale group material rgba "
     "castshadow contype conaffinity condim priority friction solmix solref solimp margin gap "
     "surfacevel adhesion geom sidesite" POSE},
    {NULL, "motor position velocity general",
     "class joint jointinparent tendon site refsite slidersite cranksite cranklength body gear kp "
     "kv dampratio timeconst gaintype gainprm biastype biasprm dyntype dynprm" RANGES},
};

static const char *attributes_of(const trm_xml *e) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (trm_mjcf_among(tables[i].elements, e->name) &&
        (!tables[i].section || strcmp(e->parent->name, tables[i].section) == 0))
      return tables[i].attributes;
  return NULL;
}

/* In one line for each element, also of a default class. */
static void note_attributes(trm_mjcf *m, const trm_xml *e) {
  const char *known = attributes_of(e), *name = trm_xml_get(e, "name");
  char names[400] = "";
  size_t used = 0;
  for (int i = 0; known && i < e->attribute_count && used < sizeof names; i++) {
    const char *given = e->attributes[i].name;
    if (strcmp(given, "name") != 0 && !trm_mjcf_among(known, given))
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", given);
  }
  if (used > 0 && name)
    trm_robot_note(m->robot, e, "%s '%s': %s: not taken over", e->name, name, names);
  else if (used > 0)
    trm_robot_note(m->robot, e, "%s: %s: not taken over", e->name, names);
}

static void note_below(trm_mjcf *m, const trm_xml *element) {
  for (const trm_xml *e = element->first; e; e = e->next) {
    note_attributes(m, e);
    note_below(m, e);
  }
}

static void note_section(trm_mjcf *m, const trm_xml *section) {
  static const char read[] = "compiler option default asset worldbody equality tendon actuator";
  static const char listed[] = "contact keyframe deformable sensor custom";
  if (trm_mjcf_among(read, section->name)) {
    note_attributes(m, section);
    note_below(m, section);
  } else if (!trm_mjcf_among(listed, section->name)) {
    trm_robot_note(m->robot, section, "section <%s> is not taken over", section->name);
  } else {
    for (const trm_xml *e = section->first; e; e = e->next) {
      char kind[128];
      snprintf(kind, sizeof kind, "%.60s %.60s", section->name, e->name);
      trm_robot_note_dropped(m->robot, e, kind, trm_xml_get(e, "name"));
    }
  }
}

void trm_mjcf_note_others(trm_mjcf *m) {
  for (const trm_xml *e = m->root->first; e; e = e->next) note_section(m, e);
}
