// MuJoCo: mujoco MODEL.mjb dop853 RTOL DURATION or rk4 STEP DURATION, a whole motion; mujoco MODEL.mjb evaluate, microseconds of CPU
// for one evaluation of the accelerations. All that these models do not have is switched off.
#include <mujoco/mujoco.h>

#include "motion.hpp"

struct engine {
  mjModel *model;
  mjData *data;

  explicit engine(const char *file) : model(mj_loadModel(file, nullptr)), data(mj_makeData(model)) {
    model->opt.disableflags = mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_ACTUATION | mjDSBL_SENSOR | mjDSBL_WARMSTART;
    model->opt.integrator = mjINT_RK4;
  }

  int size() const { return int(model->nv); }

  void accelerate(const double *y, double *a) {
    std::memcpy(data->qpos, y, size_t(size()) * sizeof *y);
    std::memcpy(data->qvel, y + size(), size_t(size()) * sizeof *y);
    mj_forwardSkip(model, data, mjSTAGE_NONE, 1);
    std::memcpy(a, data->qacc, size_t(size()) * sizeof *y);
  }

  double energy() {
    mj_fwdPosition(model, data);
    mj_energyPos(model, data);
    mj_energyVel(model, data);
    return data->energy[0] + data->energy[1];
  }

  double energy(const double *y) {
    std::memcpy(data->qpos, y, size_t(size()) * sizeof *y);
    std::memcpy(data->qvel, y + size(), size_t(size()) * sizeof *y);
    return energy();
  }

  outcome run_rk4(double step, double duration, bool look) {
    outcome result;
    model->opt.timestep = step;
    mj_resetData(model, data);
    double begin = look ? energy() : 0;
    long steps = std::lround(duration / step), middle = std::lround(std::min(1.0, duration) / step);
    for (long i = 1; i <= steps; i++) {
      mj_step(model, data);
      if (look) result.error = std::max(result.error, std::fabs(energy() - begin));
      if (look && !std::isfinite(data->qpos[0])) return result.error = NAN, result;
      if (i == middle) result.middle.assign(data->qpos, data->qpos + size());
    }
    result.steps = steps;
    result.evaluations = 4 * steps;
    return result;
  }
};

int main(int count, char **words) {
  engine e(words[1]);
  if (count <= 4) {
    std::vector<double> y(size_t(2 * e.size()), 0.3), a(size_t(e.size()));
    std::printf("%.4f\n", fastest(4000 / e.size() + 1, [&] { e.accelerate(y.data(), a.data()); }));
  } else if (std::string(words[2]) == "rk4") {
    double before = seconds();
    e.run_rk4(std::atof(words[3]), std::atof(words[4]), false);
    double cpu = seconds() - before;
    print(cpu, e.run_rk4(std::atof(words[3]), std::atof(words[4]), true));
  } else {
    run_dop853(e, std::atof(words[3]), std::atof(words[4]));
  }
}
