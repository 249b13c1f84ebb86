#!/usr/bin/env bash
# Every header alone, as C++11 and C++17, and a program that steps, saves and restores.
set -eu
command -v c++ >/dev/null || exit 77
include=$TRM_SOURCE_DIR/include
for header in "$include"/trammel/*.h; do
  echo "#include <trammel/$(basename "$header")>" >one.cc
  for standard in c++11 c++17; do
    c++ -std=$standard -Wall -Wextra -pedantic -Werror -fsyntax-only -I"$include" one.cc
  done
done
# a mass of 2 kg, pushed by an input: x = u t²/2m
cat >client.cc <<'END'
#include <trammel/trammel.h>

#include <cmath>
#include <memory>
#include <vector>

static const char text[] =
    "trammel: 1\nspace: planar\nparameters: {m: 2}\ninputs: {u: 0}\n"
    "bodies: {cart: {mass: m, inertia: 1}}\n"
    "joints: {rail: {type: prismatic, connect: [ground, cart], axis: [1, 0]}}\n"
    "forces: {push: {type: force, point: cart, value: [u, 0]}}\n"
    "simulate: {duration: 1, integrator: rk4, step: 1e-2}\noutputs: [cart.x]\n";

static bool near(double value, double wanted) { return std::fabs(value - wanted) <= 1e-12; }

int main() {
  std::unique_ptr<trm_diagnostics, void (*)(trm_diagnostics *)> said(trm_diagnostics_create(),
                                                                     trm_diagnostics_destroy);
  trm_status status = TRM_FAILED;
  const char *overrides[] = {"m=4", nullptr};
  std::unique_ptr<trm_model, void (*)(trm_model *)> model(
      trm_model_load_text(text, "cart.yaml", overrides, said.get(), &status), trm_model_destroy);
  if (!model || status != TRM_OK) return 1;
  std::unique_ptr<trm_simulation, void (*)(trm_simulation *)> sim(
      trm_simulation_create(model.get(), nullptr, said.get(), &status), trm_simulation_destroy);
  if (!sim) return 2;
  int x = trm_simulation_find(sim.get(), "cart.x", said.get());
  trm_simulation_set_input(sim.get(), trm_simulation_input(sim.get(), "u"), 8);
  if (trm_simulation_advance(sim.get(), 1, said.get()) != TRM_OK) return 3;
  if (!near(trm_simulation_get(sim.get(), x), 1)) return 4;

  std::vector<char> saved(trm_simulation_save(sim.get(), nullptr, 0));
  trm_simulation_save(sim.get(), saved.data(), saved.size());
  trm_simulation_advance(sim.get(), 2, said.get());
  if (!near(trm_simulation_get(sim.get(), x), 4)) return 5;
  if (trm_simulation_restore(sim.get(), saved.data(), saved.size(), said.get()) != TRM_OK) return 6;
  if (!near(trm_simulation_get(sim.get(), x), 1)) return 7;

  std::vector<double> y(static_cast<std::size_t>(trm_simulation_state_size(sim.get()))), f(y);
  double t = 0;
  trm_simulation_get_state(sim.get(), &t, y.data());
  if (trm_simulation_derivatives(sim.get(), t, y.data(), f.data(), said.get()) != TRM_OK) return 8;
  int found = 0; /* x' = u t/m and x'' = u/m */
  for (double rate : f) found += near(rate, 2);
  if (!near(t, 1) || found < 2) return 9;
  if (trm_simulation_set_state(sim.get(), 0, y.data(), said.get()) != TRM_OK) return 10;
  if (trm_simulation_set_parameter(sim.get(), "m", 2, said.get()) != TRM_OK) return 11;

  std::unique_ptr<trm_results, void (*)(trm_results *)> results(trm_results_create(),
                                                                trm_results_destroy);
  if (trm_simulation_run(sim.get(), results.get(), nullptr, nullptr, said.get()) != TRM_OK)
    return 12;
  const double *column = trm_results_column(results.get(), trm_results_find(results.get(), "cart.x"));
  if (!column) return 13;
  return trm_version()[0] == 0 || trm_jet_constant(2).f != 2 ? 14 : 0;
}
END
for standard in c++11 c++17; do
  c++ -std=$standard -Wall -Wextra -pedantic -Werror -c -I"$include" client.cc -o client.o
done
nm -u client.o | grep -q ' trm_results_create$' # a C name
if nm -D "$TRM_BUILD_DIR/libtrammel.so" | grep -q __asan; then exit 0; fi # it needs its runtime first
c++ client.o -L"$TRM_BUILD_DIR" -Wl,-rpath,"$TRM_BUILD_DIR" -ltrammel -o client
./client
