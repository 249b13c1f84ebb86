/* Names for the model: letters, digits and '_', each once. */
#include <string.h>

#include "robot/robot.h"

typedef struct label_set {
  trm_robot *robot;
  int count, room;
  const char **used;
} label_set;

static bool taken(const label_set *set, const char *name) {
  static const char *const reserved[] = {"ground", "energy", "constraint", "momentum", "t",
                                         "pi",     "and",    "or",         "not"};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (strcmp(name, reserved[i]) == 0) return true;
  for (int i = 0; i < set->count; i++)
    if (strcmp(name, set->used[i]) == 0) return true;
  return false;
}

static bool keep(label_set *set, const char *name) {
  if (set->count == set->room) {
    int room = set->room ? 2 * set->room : 64;
    const char **grown = TRM_NEW(set->robot->arena, const char *, room);
    if (!grown) return false;
    if (set->count > 0) memcpy(grown, set->used, (size_t)set->count * sizeof *grown);
    set->used = grown;
    set->room = room;
  }
  set->used[set->count++] = name;
  return true;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What is written beside a joint, tendon or actuator under names made from its label. */
static const char *const made[] = {"passive", "rotor", "rotor_gear", "effort",    "reaction",
                                   "length",  "rate",  "pull",       "activation"};
enum { MADE = sizeof made / sizeof *made };

static bool made_is_taken(const label_set *set, const char *label) {
  char name[260];
  for (int i = 0; i < MADE; i++) {
    snprintf(name, sizeof name, "%s_%s", label, made[i]);
    if (taken(set, name)) return true;
  }
  return false;
}

static bool keep_made(label_set *set, const char *label) {
  for (int i = 0; i < MADE; i++) {
    char name[260];
    snprintf(name, sizeof name, "%s_%s", label, made[i]);
    const char *kept = trm_arena_string(set->robot->arena, name);
    if (!kept || !keep(set, kept)) return false;
  }
  return true;
}

/* "left-arm" becomes "left_arm"; where that is taken, with `end` and then with numbers. `more`:
 * names made from it are written, too. */
static const char *make(label_set *set, const char *name, const char *end, bool more) {
  char plain[200], label[240];
  size_t length = 0;
  if (!is_letter(*name)) {
    memcpy(plain, "n_", 2);
    length = 2;
  }
  for (; *name && length < sizeof plain - 1; name++)
    plain[length++] = is_letter(*name) || (*name >= '0' && *name <= '9') ? *name : '_';
  plain[length] = '\0';
  snprintf(label, sizeof label, "%s", plain);
  for (int k = 1; taken(set, label) || (more && made_is_taken(set, label)); k++) {
    if (k == 1)
      snprintf(label, sizeof label, "%s_%s", plain, end);
    else
      snprintf(label, sizeof label, "%s_%s%d", plain, end, k);
  }
  const char *kept = trm_arena_string(set->robot->arena, label);
  return kept && keep(set, kept) && (!more || keep_made(set, kept)) ? kept : NULL;
}

bool trm_robot_label(trm_robot *robot) {
  label_set set = {.robot = robot};
  bool good = true;
  for (int i = 0; good && i < robot->body_count; i++)
    good = (robot->bodies[i].label = make(&set, robot->bodies[i].name, "body", false)) != NULL;
  for (int i = 0; good && i < robot->joint_count; i++)
    good = (robot->joints[i].label = make(&set, robot->joints[i].name, "joint", true)) != NULL;
  for (int i = 0; good && i < robot->coupling_count; i++)
    good = (robot->couplings[i].label = make(&set, robot->couplings[i].name, "coupling", false)) !=
           NULL;
  for (int i = 0; good && i < robot->tendon_count; i++)
    good = (robot->tendons[i].label = make(&set, robot->tendons[i].name, "tendon", true)) != NULL;
  for (int i = 0; good && i < robot->actuator_count; i++)
    good =
        (robot->actuators[i].label = make(&set, robot->actuators[i].name, "input", true)) != NULL;
  return good;
}
