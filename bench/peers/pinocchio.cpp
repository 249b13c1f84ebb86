// Pinocchio: pinocchio MODEL.bin dop853 RTOL DURATION, a whole motion; pinocchio MODEL.bin evaluate, microseconds of CPU for one
// evaluation of the accelerations. Of the two conventions of its articulated-body algorithm the faster one is taken.
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/serialization.hpp>

#include "motion.hpp"

struct engine {
  pinocchio::Model model;
  pinocchio::Data data;
  Eigen::VectorXd tau;
  pinocchio::Convention convention = pinocchio::Convention::LOCAL;

  explicit engine(const char *file) {
    model.loadFromBinary(file);
    data = pinocchio::Data(model);
    tau = Eigen::VectorXd::Zero(model.nv);
    Eigen::VectorXd v = Eigen::VectorXd::Random(model.nv), q = pinocchio::integrate(model, pinocchio::neutral(model), 0.3 * v);
    for (auto c : {pinocchio::Convention::WORLD, pinocchio::Convention::LOCAL}) {
      double one = fastest(4000 / model.nv + 1, [&] { pinocchio::aba(model, data, q, v, tau, c); });
      if (one < evaluation) evaluation = one, convention = c;
    }
  }

  double evaluation = 1e9;  // of the faster convention, microseconds
  int size() const { return model.nv; }

  void accelerate(const double *y, double *a) {
    Eigen::Map<const Eigen::VectorXd> q(y, model.nq), v(y + model.nq, model.nv);
    Eigen::Map<Eigen::VectorXd>(a, model.nv) = pinocchio::aba(model, data, q, v, tau, convention);
  }

  double energy(const double *y) {
    Eigen::Map<const Eigen::VectorXd> q(y, model.nq), v(y + model.nq, model.nv);
    return pinocchio::computeKineticEnergy(model, data, q, v) + pinocchio::computePotentialEnergy(model, data, q);
  }
};

int main(int count, char **words) {
  engine e(words[1]);
  if (count > 4) run_dop853(e, std::atof(words[3]), std::atof(words[4]));
  else std::printf("%.4f\n", e.evaluation);
}
