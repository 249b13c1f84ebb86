/* The words, place by place. Where a word has two meanings, the first that exists there counts. */
#include "base/synonyms.h"

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NO_LIMITS                                                                                  \
  "there are no limits of joints yet; a stop is a force with a formula: max(0, x - x1)"
#define NO_FRICTION "there is no friction yet; a smooth law is a force: -mu*N*tanh(v/v0)"
#define NO_CONTACT  "there is no contact yet; a force with a formula pushes back: k*max(0, -ball.y)"
#define NO_CAM      "there is no cam yet; its motion is a driver: value: \"table(t, 'cam.csv')\""
#define NO_FLEXIBLE "bodies are rigid, there are no flexible ones yet; bushings may join pieces"
#define NO_ROPE                                                                                    \
  "there is none yet; a spring-damper that only pulls has stiffness: if(s.length > L, k, 0)"

static const trm_synonym joints[] = {
    {"hinge", "revolute", NULL},
    {"pin", "revolute", NULL},
    {"pivot", "revolute", NULL},
    {"rotational", "revolute", NULL},
    {"rotary", "revolute", NULL},
    {"ball", "spherical", NULL},
    {"ball", "revolute", "in the plane"},
    {"ball-joint", "spherical", NULL},
    {"ball-and-socket", "spherical", NULL},
    {"socket", "spherical", NULL},
    {"point-to-point", "spherical", NULL},
    {"fixed", "rigid", NULL},
    {"fix", "rigid", NULL},
    {"weld", "rigid", NULL},
    {"welded", "rigid", NULL},
    {"lock", "rigid", NULL},
    {"clamped", "rigid", NULL},
    {"slider", "prismatic", NULL},
    {"sliding", "prismatic", NULL},
    {"slide", "prismatic", NULL},
    {"translational", "prismatic", NULL},
    {"translation", "prismatic", NULL},
    {"linear", "prismatic", NULL},
    {"telescope", "prismatic", NULL},
    {"pin-in-slot", "point-on-line", NULL},
    {"slot", "point-on-line", NULL},
    {"inline", "point-on-line", NULL},
    {"inplane", "point-on-plane", NULL},
    {"cardan", "universal", NULL},
    {"hooke", "universal", NULL},
    {"helical", "screw", NULL},
    {"link", "distance", NULL},
    {"rod", "distance", NULL},
    {"massless-link", "distance", NULL},
    {"rack", "gear", "of a revolute and a prismatic joint"},
    {"rack-and-pinion", "gear", "of a revolute and a prismatic joint"},
    {"coupler", "gear", NULL},
    {"belt", "gear", "without slip"},
    {"pulley", "gear", "without slip"},
    {"wheel", "rolling", NULL},
    {"motion", "driver", NULL},
    {"motor", NULL,
     "a given motion is a 'driver' (of: J, value: 2*t); a given torque is the force 'actuator' "
     "(of: J)"},
    {"actuator", NULL, "it is a type of force: write it under 'forces'"},
    {"spring", NULL, "it is the force 'spring-damper': write it under 'forces'"},
    {"damper", NULL, "it is the force 'spring-damper': write it under 'forces'"},
    {"spring-damper", NULL, "it is a type of force: write it under 'forces'"},
    {"bushing", NULL, "it is a type of force: write it under 'forces'"},
    {"free", NULL, "a body without a joint is free: leave the joint out"},
    {"floating", NULL, "a body without a joint is free: leave the joint out"},
    {"contact", NULL, NO_CONTACT},
    {"limit", NULL, NO_LIMITS},
    {"limits", NULL, NO_LIMITS},
    {"stop", NULL, NO_LIMITS},
    {"friction", NULL, NO_FRICTION},
    {"cam", NULL, NO_CAM},
    {"rope", NULL, NO_ROPE},
    {"cable", NULL, NO_ROPE},
};

static const trm_synonym forces[] = {
    {"spring", "spring-damper", NULL},
    {"damper", "spring-damper", NULL},
    {"dashpot", "spring-damper", NULL},
    {"shock", "spring-damper", NULL},
    {"shock-absorber", "spring-damper", NULL},
    {"tsda", "spring-damper", NULL},
    {"rotational-spring", "torsion-spring-damper", NULL},
    {"rotary-spring", "torsion-spring-damper", NULL},
    {"torsion-spring", "torsion-spring-damper", NULL},
    {"torsional-spring", "torsion-spring-damper", NULL},
    {"torsion-bar", "torsion-spring-damper", NULL},
    {"rsda", "torsion-spring-damper", NULL},
    {"motor", "actuator", NULL},
    {"drive", "actuator", NULL},
    {"cylinder", "actuator", NULL},
    {"moment", "torque", NULL},
    {"mount", "bushing", NULL},
    {"bearing", "bushing", NULL},
    {"tyre", "tire", NULL},
    {"wheel", "tire", NULL},
    {"gravity", NULL, "gravity is a key of the model: 'gravity: [0, -9.81]' at the top level"},
    {"weight", NULL, "gravity is a key of the model: 'gravity: [0, -9.81]' at the top level"},
    {"driver", NULL, "it is a type of joint: write it under 'joints'"},
    {"contact", NULL, NO_CONTACT},
    {"contacts", NULL, NO_CONTACT},
    {"impact", NULL, NO_CONTACT},
    {"stop", NULL, NO_LIMITS},
    {"limit", NULL, NO_LIMITS},
    {"limits", NULL, NO_LIMITS},
    {"bumpstop", NULL, NO_LIMITS},
    {"friction", NULL, NO_FRICTION},
    {"rope", NULL, NO_ROPE},
    {"cable", NULL, NO_ROPE},
    {"beam", NULL, NO_FLEXIBLE},
};

static const trm_synonym keys[] = {
    {"links", "bodies", NULL},
    {"constraints", "joints", NULL},
    {"connections", "joints", NULL},
    {"springs", "forces", NULL},
    {"dampers", "forces", NULL},
    {"loads", "forces", NULL},
    {"motors", "forces", "as an actuator"},
    {"actuators", "forces", NULL},
    {"drivers", "joints", NULL},
    {"motions", "joints", "as a driver"},
    {"constants", "parameters", NULL},
    {"settings", "simulate", NULL},
    {"solver", "simulate", NULL},
    {"simulation", "simulate", NULL},
    {"initial-conditions", "initial", NULL},
    {"measures", "outputs", NULL},
    {"results", "outputs", NULL},
    {"title", "name", NULL},
    {"m", "mass", NULL},
    {"I", "inertia", NULL},
    {"J", "inertia", NULL},
    {"moi", "inertia", NULL},
    {"moment-of-inertia", "inertia", NULL},
    {"pos", "position", NULL},
    {"origin", "position", NULL},
    {"location", "position", NULL},
    {"theta", "angle", NULL},
    {"rotation", "orientation", NULL},
    {"rotation", "angle", NULL},
    {"quaternion", "orientation", "orientation: {quaternion: [w, x, y, z]}"},
    {"euler", "orientation", "orientation: {euler: zxz, angles: [a, b, c]}"},
    {"cog", "com", NULL},
    {"cg", "com", NULL},
    {"center", "com", NULL},
    {"centre", "com", NULL},
    {"center-of-mass", "com", NULL},
    {"centre-of-mass", "com", NULL},
    {"omega", "angular-velocity", NULL},
    {"markers", "points", NULL},
    {"geometry", "shape", NULL},
    {"mesh", "shape", "shape: {mesh: file.stl}"},
    {"bodies", "connect", NULL},
    {"between", "connect", NULL},
    {"points", "connect", NULL},
    {"direction", "axis", NULL},
    {"normal", "axis", NULL},
    {"function", "value", NULL},
    {"formula", "value", NULL},
    {"joint", "of", NULL},
    {"lead", "pitch", NULL},
    {"k", "stiffness", NULL},
    {"c", "damping", NULL},
    {"d", "damping", NULL},
    {"free-length", "length", NULL},
    {"rest-length", "length", NULL},
    {"natural-length", "length", NULL},
    {"l0", "length", NULL},
    {"L0", "length", NULL},
    {"force", "value", NULL},
    {"torque", "value", NULL},
    {"tend", "duration", NULL},
    {"end", "duration", NULL},
    {"end-time", "duration", NULL},
    {"tf", "duration", NULL},
    {"dt", "step", NULL},
    {"h", "step", NULL},
    {"method", "integrator", NULL},
    {"contact", NULL, NO_CONTACT},
    {"contacts", NULL, NO_CONTACT},
    {"limits", NULL, NO_LIMITS},
    {"limit", NULL, NO_LIMITS},
    {"stops", NULL, NO_LIMITS},
    {"friction", NULL, NO_FRICTION},
    {"cam", NULL, NO_CAM},
    {"cams", NULL, NO_CAM},
    {"flexible", NULL, NO_FLEXIBLE},
    {"beams", NULL, NO_FLEXIBLE},
};

static const trm_synonym functions[] = {
    {"pow", NULL, "a power is written x^y"},
    {"power", NULL, "a power is written x^y"},
    {"sqr", NULL, "a square is written x^2"},
    {"square", NULL, "a square is written x^2"},
    {"cbrt", NULL, "a cube root is written x^(1/3)"},
    {"ln", "log", NULL},
    {"log10", NULL, "it is written log(x)/log(10)"},
    {"log2", NULL, "it is written log(x)/log(2)"},
    {"arcsin", "asin", NULL},
    {"arccos", "acos", NULL},
    {"arctan", "atan", NULL},
    {"arctan2", "atan2", NULL},
    {"sgn", "sign", NULL},
    {"fabs", "abs", NULL},
    {"ceil", NULL, "it is written -floor(-x)"},
    {"fmod", "mod", NULL},
    {"cot", NULL, "it is written 1/tan(x)"},
    {"clamp", NULL, "it is written min(max(x, low), high)"},
    {"clip", NULL, "it is written min(max(x, low), high)"},
    {"saturate", NULL, "it is written min(max(x, low), high)"},
    {"where", "if", NULL},
    {"ifelse", "if", NULL},
    {"interp", "table", NULL},
    {"spline", "table", NULL},
    {"akispl", "table", NULL},
    {"cubspl", "table", NULL},
    {"lookup", "table", NULL},
    {"radians", "deg", "which gives radians"},
    {"deg2rad", "deg", "which gives radians"},
    {"rad", NULL, "angles are radians already, and deg(30) is 30 degrees in radians"},
    {"degrees", NULL, "angles are radians, and x radians are x*180/pi degrees"},
    {"rad2deg", NULL, "angles are radians, and x radians are x*180/pi degrees"},
    {"time", NULL, "the time is written t"},
};

static const trm_synonym names[] = {
    {"time", NULL, "the time is written t"}, {"Time", NULL, "the time is written t"},
    {"PI", NULL, "it is written pi"},        {"Pi", NULL, "it is written pi"},
    {"M_PI", NULL, "it is written pi"},      {"true", NULL, "true is written 1"},
    {"false", NULL, "false is written 0"},
};

static const struct {
  const trm_synonym *words;
  size_t count;
} places[TRM_SYNONYM_PLACES] = {
    [TRM_SYNONYM_JOINT] = {joints, sizeof joints / sizeof *joints},
    [TRM_SYNONYM_FORCE] = {forces, sizeof forces / sizeof *forces},
    [TRM_SYNONYM_KEY] = {keys, sizeof keys / sizeof *keys},
    [TRM_SYNONYM_FUNCTION] = {functions, sizeof functions / sizeof *functions},
    [TRM_SYNONYM_NAME] = {names, sizeof names / sizeof *names},
};

static bool is_one_of(const char *name, const char *const *list, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(name, list[i]) == 0) return true;
  return false;
}

const trm_synonym *trm_synonym_find(trm_synonym_place place, const char *word,
                                    const char *const *list, int count) {
  for (size_t i = 0; i < places[place].count; i++) {
    const trm_synonym *w = &places[place].words[i];
    if (strcmp(w->word, word) != 0) continue;
    if (!w->here || !list || is_one_of(w->here, list, count)) return w;
  }
  return NULL;
}

const char *trm_meant_key(const char *word, const char *const *list, int count) {
  const trm_synonym *other = trm_synonym_find(TRM_SYNONYM_KEY, word, list, count);
  return other && other->here ? other->here : trm_nearest(word, list, count);
}
