/* trammel new: a small model to change, with remarks. */
#include "cli.h"

#include <errno.h>
#include <string.h>

static const char planar[] =
    "trammel: 1\n"
    "name: Slider-crank\n"
    "space: planar\n"
    "gravity: [0, -9.81]                # units are yours, as long as they fit together\n"
    "parameters: {L: 1, m: 2, speed: 6} # change them on the command line: --set L=2\n"
    "ground:\n"
    "  points: {O: [0, 0]}\n"
    "bodies:                            # a point is in its body's own frame\n"
    "  crank: {mass: m, inertia: m*L^2/12, position: [L/2, 0], points: {A: [-L/2, 0], B: [L/2, "
    "0]}}\n"
    "  rod: {mass: m, inertia: m*(2*L)^2/12, position: [2*L, 0], points: {B: [-L, 0], C: [L, 0]}}\n"
    "joints:\n"
    "  A: {type: revolute, connect: [ground.O, crank.A]}\n"
    "  B: {type: revolute, connect: [crank.B, rod.B]}\n"
    "  slider: {type: point-on-line, connect: [ground.O, rod.C], axis: [1, 0]}\n"
    "forces:\n"
    "  spring: {type: spring-damper, connect: [ground.O, rod.C], stiffness: 20, damping: 1, "
    "length: 3*L}\n"
    "initial: {A.rate: speed}           # what must hold at the start\n"
    "simulate: {duration: 5, output-step: 0.01}\n"
    "outputs: [crank, rod, A, slider, spring, energy, {piston_speed: abs(rod.C.vx)}]\n"
    "metrics: {largest_pull: max(A.f)}\n";

static const char spatial[] =
    "trammel: 1\n"
    "name: Top\n"
    "space: spatial\n"
    "gravity: [0, 0, -9.81]             # units are yours, as long as they fit together\n"
    "parameters: {m: 1, h: 0.2, spin: 150} # change them on the command line: --set spin=80\n"
    "bodies:                            # a point is in its body's own frame\n"
    "  top:\n"
    "    mass: m\n"
    "    inertia: [m*h^2/5, m*h^2/5, m*h^2/8] # about the centre of mass\n"
    "    com: [0, 0, h]\n"
    "    orientation: {axis: [0, 1, 0], angle: deg(20)}\n"
    "    angular-velocity: [spin*sin(deg(20)), 0, spin*cos(deg(20))]\n"
    "    points: {tip: [0, 0, 0], centre: [0, 0, h]}\n"
    "    shape: {cone: {radius: h/2, height: 1.25*h, axis: [0, 0, -1]}}\n"
    "joints:\n"
    "  tip: {type: spherical, connect: [ground, top.tip]}\n"
    "simulate: {duration: 3, output-step: 0.01}\n"
    "outputs: [top, tip, energy, {lean: acos(top.centre.z/h)}]\n";

static int new_command(const trm_cli_arguments *arguments) {
  const char *path = arguments->models[0], *space = trm_cli_value(arguments, "space");
  bool in_space = space && strcmp(space, "spatial") == 0;
  if (space && !in_space && strcmp(space, "planar") != 0) {
    trm_cli_error("--space takes planar or spatial, not '%s'", space);
    return 2;
  }
  bool output = strcmp(path, "-") == 0;
  FILE *file = output ? stdout : fopen(path, "wx");
  bool good = file && fputs(in_space ? spatial : planar, file) >= 0;
  if (file && !output && fclose(file) != 0) good = false;
  if (!good) trm_cli_error("cannot write '%s': %s", path, strerror(errno));
  if (good && !output) printf("%s: 'trammel run %s' simulates it\n", path, path);
  return good ? 0 : 1;
}

static const trm_cli_option options[] = {
    {"space", 0, "SPACE", "planar (the default): a slider-crank; spatial: a top"}, {0}};

const trm_cli_command trm_cli_new = {
    .name = "new",
    .usage = "FILE.yaml [--space SPACE]",
    .summary = "a small model to change, with remarks",
    .notes = "FILE may be -, standard output. A file that is there is not replaced.\n\n"
             "exit status: 0 written; 1 it could not be; 2 wrong usage\n",
    .options = options,
    .input = "name of the new file",
    .least_models = 1,
    .most_models = 1,
    .run = new_command};
