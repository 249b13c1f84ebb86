// A whole motion from rest at zero by an engine that evaluates accelerations: PROGRAM MODEL dop853 RTOL DURATION, or
// PROGRAM MODEL evaluate. DOP853 with the coefficients and the step control of scipy (after Hairer); steps end at 1 s, too.
// Prints CPU seconds of the loop, and of a second run that looks at every step the largest energy error and q at 1 s.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "dop853_table.h"  // written by install from scipy

inline double seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

struct outcome {
  double error = 0;
  long evaluations = 0, steps = 0;
  std::vector<double> middle;
};

template <class Engine> class dop853 {
public:
  dop853(Engine &e, double rtol) : engine(e), rtol(rtol), atol(rtol / 1000), n(2 * e.size()), k(13, std::vector<double>(n)), trial(n), y(n) {}

  outcome run(double duration, bool look) {
    outcome result;
    y.assign(n, 0);
    rates(y, k[0], result);
    double energy = look ? engine.energy(y.data()) : 0, t = 0, h = 1e-4;
    const double marks[] = {std::min(1.0, duration), duration};
    for (double mark : marks) {
      while (t < mark) {
        bool last = t + h >= mark;
        double step = last ? mark - t : h, error = attempt(step, result);
        double factor = error == 0 ? 10 : std::min(10.0, std::max(0.2, 0.9 * std::pow(error, -0.125)));
        if (!(error < 1)) {
          h = step * std::min(1.0, std::isfinite(error) ? factor : 0.2);
          continue;
        }
        t = last ? mark : t + step;
        y.swap(trial);
        k[0].swap(k[12]);
        if (!last || factor < 1) h = step * factor;
        result.steps++;
        if (look) result.error = std::max(result.error, std::fabs(engine.energy(y.data()) - energy));
        if (look && !std::isfinite(y[0])) return result.error = NAN, result;
      }
      if (result.middle.empty()) result.middle.assign(y.begin(), y.begin() + n / 2);
    }
    return result;
  }

private:
  Engine &engine;
  double rtol, atol;
  int n;
  std::vector<std::vector<double>> k;
  std::vector<double> trial, y;

  void rates(const std::vector<double> &at, std::vector<double> &to, outcome &result) {
    std::copy(at.begin() + n / 2, at.end(), to.begin());
    engine.accelerate(at.data(), to.data() + n / 2);
    result.evaluations++;
  }

  void combine(int stages, const double *weight, double h) {
    trial = y;
    for (int j = 0; j < stages; j++) {
      double w = h * weight[j];
      const double *kj = k[j].data();
      if (w != 0)
        for (int i = 0; i < n; i++) trial[i] += w * kj[i];
    }
  }

  double attempt(double h, outcome &result) {
    for (int s = 1; s < 12; s++) {
      combine(s, dop853_a[s], h);
      rates(trial, k[s], result);
    }
    combine(12, dop853_b, h);
    rates(trial, k[12], result);
    double five = 0, three = 0;
    for (int i = 0; i < n; i++) {
      double e5 = 0, e3 = 0, scale = atol + rtol * std::max(std::fabs(y[i]), std::fabs(trial[i]));
      for (int j = 0; j < 13; j++) {
        e5 += dop853_e5[j] * k[j][i];
        e3 += dop853_e3[j] * k[j][i];
      }
      five += e5 * e5 / (scale * scale);
      three += e3 * e3 / (scale * scale);
    }
    if (five == 0 && three == 0) return 0;
    return h * five / std::sqrt((five + 0.01 * three) * n);
  }
};

inline void print(double cpu, const outcome &seen) {
  std::printf("{\"cpu\": %.9g, \"error\": %.9g, \"evaluations\": %ld, \"steps\": %ld, \"middle\": [", cpu, std::isfinite(seen.error) ? seen.error : -1,
              seen.evaluations, seen.steps);
  for (size_t i = 0; i < seen.middle.size(); i++) std::printf("%s%.17g", i ? ", " : "", seen.middle[i]);
  std::printf("]}\n");
}

template <class Engine> void run_dop853(Engine &engine, double rtol, double duration) {
  dop853<Engine> method(engine, rtol);
  double before = seconds();
  method.run(duration, false);
  double cpu = seconds() - before;
  print(cpu, method.run(duration, true));
}

// The fastest of several rounds, in microseconds.
template <class Work> double fastest(int repeats, Work work) {
  double best = 1e9;
  for (int round = 0; round < 20; round++) {
    double start = seconds();
    for (int i = 0; i < repeats; i++) work();
    best = std::min(best, (seconds() - start) / repeats);
  }
  return 1e6 * best;
}
