// One run in Simbody: simbody ACCURACY < description (see with_simbody.py). Runge-Kutta-Merson with error control; prints CPU
// seconds of the loop and the largest energy error.
#include <cmath>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "Simbody.h"
using namespace SimTK;

static Vec3 readVec(std::istream &in) {
  Vec3 v;
  in >> v[0] >> v[1] >> v[2];
  return v;
}

// A frame at a global point whose z axis is the given one, seen from a body whose origin is at `origin`.
static Transform frameAt(const Vec3 &point, const Vec3 &axis, const Vec3 &origin) {
  return Transform(Rotation(UnitVec3(axis), ZAxis), point - origin);
}

struct Run {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  std::vector<MobilizedBody> bodies; // the first is ground
  std::vector<Vec3> origins{Vec3(0)};
  std::vector<Vec3> omegas{Vec3(0)};
  double duration;

  void addBody(std::istream &in) {
    int parent;
    std::string kind;
    double mass;
    in >> parent >> kind >> mass;
    Vec3 inertia = readVec(in), position = readVec(in), omega = readVec(in);
    Vec3 point = readVec(in), axis = readVec(in);
    Body::Rigid body(MassProperties(mass, Vec3(0), Inertia(inertia)));
    Transform outer = frameAt(point, axis, position), inner = frameAt(point, axis, origins[parent]);
    if (kind == "spherical")
      bodies.push_back(MobilizedBody::Ball(bodies[parent], inner, body, outer));
    else
      bodies.push_back(MobilizedBody::Pin(bodies[parent], inner, body, outer));
    origins.push_back(position);
    omegas.push_back(omega);
  }

  void addLoop(std::istream &in, bool planar) {
    int first, second;
    std::string kind;
    in >> first >> second >> kind;
    Vec3 point = readVec(in), axis = readVec(in), a = point - origins[first], b = point - origins[second];
    if (kind == "line")
      Constraint::PointInPlane(bodies[first], UnitVec3(axis % Vec3(0, 0, 1)), 0, bodies[second], b);
    else if (planar)
      Constraint::PointOnLine(bodies[first], UnitVec3(axis), a, bodies[second], b);
    else {
      UnitVec3 z(axis);
      Constraint::Ball(bodies[first], a, bodies[second], b);
      Constraint::ConstantAngle(bodies[first], z.perp(), bodies[second], z);
      Constraint::ConstantAngle(bodies[first], UnitVec3(z % z.perp()), bodies[second], z);
    }
  }
};

int main(int count, char **words) {
  if (count != 2) return 2;
  Run run;
  std::istream &in = std::cin;
  int bodies, loops, planar;
  in >> run.duration >> planar >> bodies >> loops;
  Vec3 gravity = readVec(in);
  run.bodies.push_back(run.matter.Ground());
  Force::UniformGravity(run.forces, run.matter, gravity);
  for (int i = 0; i < bodies; i++) run.addBody(in);
  for (int i = 0; i < loops; i++) run.addLoop(in, planar != 0);
  State state = run.system.realizeTopology();
  run.system.realize(state, Stage::Position);
  // pins about z: the rate of each is the difference of its bodies' rates
  for (size_t i = 1; i < run.bodies.size(); i++) {
    size_t parent = run.bodies[i].getParentMobilizedBody().getMobilizedBodyIndex();
    Vec3 relative = run.omegas[i] - run.omegas[parent];
    if (relative.norm() > 0) run.bodies[i].setOneU(state, 0, relative[2]);
  }
  RungeKuttaMersonIntegrator integrator(run.system);
  integrator.setAccuracy(std::stod(words[1]));
  TimeStepper stepper(run.system, integrator);
  stepper.initialize(state);
  run.system.realize(integrator.getState(), Stage::Dynamics);
  double energy = run.system.calcEnergy(integrator.getState()), worst = 0;
  std::clock_t cpu = 0;
  for (int i = 1; i <= 100; i++) {
    std::clock_t before = std::clock();
    stepper.stepTo(run.duration * i / 100);
    cpu += std::clock() - before;
    run.system.realize(integrator.getState(), Stage::Dynamics);
    double off = std::abs(run.system.calcEnergy(integrator.getState()) - energy);
    worst = std::isnan(worst) || worst > off ? worst : off;  // std::max may drop a NaN
  }
  std::cout << "{\"cpu\": " << double(cpu) / CLOCKS_PER_SEC << ", \"error\": " << worst << "}\n";
  return 0;
}
