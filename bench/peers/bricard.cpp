// Pinocchio: microseconds of CPU for one evaluation of the accelerations of Bricard's mechanism (models/bricard.yaml), a closed loop
// with a redundant constraint. A rod is cut in two halves, which six rows weld; one step of the proximal method, as exact as 1e-6.
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>

#include "motion.hpp"

using pinocchio::SE3;
using vector = Eigen::Vector3d;

// A rod of unit mass per length from the origin, of square section.
static pinocchio::Inertia rod(const vector &along) {
  const double side = 0.1, mass = along.norm();
  vector axis = along / mass;
  Eigen::Matrix3d inertia = mass * (mass * mass + side * side) / 12 * (Eigen::Matrix3d::Identity() - axis * axis.transpose());
  inertia += mass * side * side / 6 * axis * axis.transpose();
  return pinocchio::Inertia(mass, along / 2, inertia);
}

static SE3 at(const vector &place) { return SE3(Eigen::Matrix3d::Identity(), place); }

int main() {
  const vector place[] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}}, cut(0, -0.5, 1);
  const vector axis[] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  pinocchio::Model model;
  model.gravity.linear(vector(0, -9.81, 0));
  pinocchio::JointIndex last = 0, behind;
  for (int i = 0; i < 5; i++) {
    last = model.addJoint(last, pinocchio::JointModelRevoluteUnaligned(axis[i]), at(i ? vector(place[i] - place[i - 1]) : place[i]), "j" + std::to_string(i));
    model.appendBodyToJoint(last, rod((i < 4 ? place[i + 1] : cut) - place[i]), SE3::Identity());
  }
  behind = model.addJoint(0, pinocchio::JointModelRevoluteUnaligned(axis[5]), at(place[5]), "j5");
  model.appendBodyToJoint(behind, rod(cut - place[5]), SE3::Identity());

  std::vector<pinocchio::RigidConstraintModel, Eigen::aligned_allocator<pinocchio::RigidConstraintModel>> welds;
  std::vector<pinocchio::RigidConstraintData, Eigen::aligned_allocator<pinocchio::RigidConstraintData>> rows;
  welds.emplace_back(pinocchio::CONTACT_6D, model, last, at(cut - place[4]), behind, at(cut - place[5]), pinocchio::LOCAL);
  rows.emplace_back(welds[0]);
  pinocchio::Data data(model);
  pinocchio::initConstraintDynamics(model, data, welds, rows);
  pinocchio::ProximalSettings settings(1e-10, 1e-10, 1);
  Eigen::VectorXd q = pinocchio::neutral(model), v = Eigen::VectorXd::Zero(model.nv), tau = v;
  std::printf("%.4f\n", fastest(5000, [&] { pinocchio::constraintDynamics(model, data, q, v, tau, welds, rows, settings); }));
}
