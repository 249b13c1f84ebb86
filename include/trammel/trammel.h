/* Trammel: simulation of constrained multibody systems. One include for all of it. */
#ifndef TRAMMEL_H
#define TRAMMEL_H

#include <trammel/analysis.h>
#include <trammel/compare.h>
#include <trammel/diagnostics.h>
#include <trammel/fmu.h>
#include <trammel/import.h>
#include <trammel/jet.h>
#include <trammel/model.h>
#include <trammel/plot.h>
#include <trammel/report.h>
#include <trammel/results.h>
#include <trammel/scene.h>
#include <trammel/settings.h>
#include <trammel/simulation.h>
#include <trammel/sweep.h>
#include <trammel/system.h>
#include <trammel/tire.h>
#include <trammel/version.h>

#endif
