// Pinocchio's articulated-body algorithm: pinocchio MODEL.bin [...] prints microseconds of CPU for one evaluation of each model (written
// by trees.py), the better of its two conventions, the fastest of several rounds.
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/serialization.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>

static double seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

int main(int count, char **files) {
  for (int i = 1; i < count; i++) {
    pinocchio::Model model;
    model.loadFromBinary(files[i]);
    pinocchio::Data data(model);
    Eigen::VectorXd v = Eigen::VectorXd::Random(model.nv), tau = Eigen::VectorXd::Zero(model.nv);
    Eigen::VectorXd q = pinocchio::integrate(model, pinocchio::neutral(model), 0.3 * v);
    int repeats = 40000 / model.nv;
    double best = 1e9;
    for (int round = 0; round < 20; round++)
      for (auto convention : {pinocchio::Convention::WORLD, pinocchio::Convention::LOCAL}) {
        double start = seconds();
        for (int k = 0; k < repeats; k++) pinocchio::aba(model, data, q, v, tau, convention);
        best = std::min(best, (seconds() - start) / repeats);
      }
    std::printf("%.4f\n", 1e6 * best);
  }
}
