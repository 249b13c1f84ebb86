/* A page that shows each mode moving. It stands on its own: lines of the bodies and a short script.
 */
#include <math.h>
#include <string.h>
#include <trammel/analysis.h>

#include "analysis/simulation.h"
#include "result/json.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Modes</title>\n<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{margin:0;font:15px system-ui,sans-serif;display:grid;grid-template-columns:22em 1fr;"
    "height:100vh}\n"
    "nav{overflow:auto;padding:1em;border-right:1px solid #8886}\n"
    "h1{font-size:1.2em;margin:0 0 .5em}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "td,th{text-align:right;padding:.15em .4em}\ntr[tabindex]{cursor:pointer}\n"
    "tr[aria-selected=true]{background:#4477aa44}\n"
    "main{position:relative}canvas{width:100%;height:100%;display:block;touch-action:none}\n"
    "label{display:block;margin:.5em 0}input{width:100%}\n"
    "@media(max-width:700px){body{grid-template-columns:1fr;grid-template-rows:40vh 1fr}}\n"
    "</style></head><body>\n<nav><h1 id=\"title\"></h1>\n"
    "<label>amplitude <input id=\"amplitude\" type=\"range\" min=\"0\" max=\"2\" step=\"0.01\" "
    "value=\"1\"></label>\n"
    "<label>speed <input id=\"speed\" type=\"range\" min=\"0.1\" max=\"3\" step=\"0.01\" "
    "value=\"1\"></label>\n"
    "<table><thead><tr><th>mode</th><th>Hz</th><th>damping</th></tr></thead><tbody "
    "id=\"list\"></tbody></table></nav>\n"
    "<main><canvas id=\"view\" aria-label=\"the mechanism in its mode\"></canvas></main>\n"
    "<script>\nconst data = ";

static const char tail[] =
    ";\n"
    "const $ = id => document.getElementById(id), canvas = $('view'), pen = "
    "canvas.getContext('2d');\n"
    "$('title').textContent = document.title = `${data.name}: modes`;\n"
    "let chosen = 0, turn = data.planar ? 0 : -0.6, tilt = data.planar ? 0 : 0.35, start = 0;\n"
    "const rows = data.modes.map((m, k) => {\n"
    "  const row = document.createElement('tr');\n"
    "  row.tabIndex = 0;\n"
    "  const damping = (Math.abs(m.damping) < 5e-5 ? 0 : m.damping).toFixed(4);\n"
    "  for (const text of m.frequency ? [k + 1, m.frequency.toPrecision(5), damping] : [k + 1, "
    "'0', "
    "'\xe2\x80\x93']) {\n"
    "    const cell = document.createElement('td');\n"
    "    cell.textContent = text;\n    row.append(cell);\n  }\n"
    "  row.onclick = () => choose(k);\n"
    "  row.onkeydown = e => { if (e.key === 'Enter' || e.key === ' ') choose(k); };\n"
    "  $('list').append(row);\n  return row;\n});\n"
    "function choose(k) {\n"
    "  rows.forEach((row, i) => row.setAttribute('aria-selected', i === k));\n"
    "  chosen = k;\n  start = performance.now();\n}\n"
    "function rotate(w, p) {\n"
    "  const a = Math.hypot(...w);\n  if (a === 0) return p;\n"
    "  const [x, y, z] = w.map(u => u / a), c = Math.cos(a), s = Math.sin(a), d = x * p[0] + y * "
    "p[1] + z * p[2];\n"
    "  return [p[0] * c + (y * p[2] - z * p[1]) * s + x * d * (1 - c), p[1] * c + (z * p[0] - x * "
    "p[2]) * s + y * d * (1 - c),\n"
    "          p[2] * c + (x * p[1] - y * p[0]) * s + z * d * (1 - c)];\n}\n"
    "/* bounds of all points, and the largest displacement of a mode, by which it is drawn */\n"
    "const all = data.bodies.flatMap(b => b.lines.flat().map(p => p.map((u, i) => u + b.x[i])));\n"
    "const low = [0, 1, 2].map(i => Math.min(...all.map(p => p[i]))), high = [0, 1, 2].map(i => "
    "Math.max(...all.map(p => p[i])));\n"
    "const middle = low.map((u, i) => (u + high[i]) / 2), size = Math.hypot(...high.map((u, i) => "
    "u "
    "- low[i])) || 1;\n"
    "function reach(m) {\n  let most = 1e-300;\n"
    "  data.bodies.forEach((b, k) => {\n"
    "    const arm = Math.max(...b.lines.flat().map(p => Math.hypot(...p)), 0), v = "
    "m.motion.slice(12 "
    "* k, 12 * k + 12);\n"
    "    most = Math.max(most, Math.hypot(...v.slice(0, 6)) + arm * Math.hypot(...v.slice(6)));\n"
    "  });\n  return most;\n}\n"
    "const reaches = data.modes.map(reach);\n"
    "function project(p) {\n"
    "  const x = p[0] - middle[0], y = p[1] - middle[1], z = p[2] - middle[2];\n"
    "  if (data.planar) return [x, y];\n"
    "  const u = x * Math.cos(turn) - y * Math.sin(turn), v = x * Math.sin(turn) + y * "
    "Math.cos(turn);\n"
    "  return [u, z * Math.cos(tilt) + v * Math.sin(tilt)];\n}\n"
    "function draw(now) {\n"
    "  const wide = canvas.clientWidth, tall = canvas.clientHeight, ratio = devicePixelRatio || "
    "1;\n"
    "  if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(tall * "
    "ratio)) "
    "{\n"
    "    canvas.width = Math.round(wide * ratio);\n    canvas.height = Math.round(tall * ratio);\n "
    " "
    "}\n"
    "  pen.setTransform(ratio, 0, 0, ratio, 0, 0);\n  pen.clearRect(0, 0, wide, tall);\n"
    "  const m = data.modes[chosen], scale = 0.75 * Math.min(wide, tall) / size;\n"
    "  const t = (now - start) / 1000 * $('speed').value, phase = 2 * Math.PI * 0.6 * t;\n"
    "  const unit = $('amplitude').value * 0.12 * size / (m ? reaches[chosen] : 1);\n"
    "  const c = unit * Math.cos(phase), s = unit * Math.sin(phase);\n"
    "  for (const moving of [false, true]) data.bodies.forEach((b, k) => {\n"
    "    const at = i => moving && m ? m.motion[12 * k + 2 * i] * c - m.motion[12 * k + 2 * i + 1] "
    "* "
    "s : 0;\n"
    "    const w = [at(3), at(4), at(5)];\n"
    "    pen.strokeStyle = moving ? b.color : '#8888';\n    pen.lineWidth = moving ? 3 : 1;\n"
    "    pen.lineCap = 'round';\n"
    "    for (const line of b.lines) {\n      pen.beginPath();\n"
    "      line.forEach((p, j) => {\n"
    "        const q = rotate(w, p), r = project(q.map((u, i) => u + b.x[i] + at(i)));\n"
    "        pen[j ? 'lineTo' : 'moveTo'](wide / 2 + scale * r[0], tall / 2 - scale * r[1]);\n"
    "      });\n      pen.stroke();\n    }\n  });\n"
    "  requestAnimationFrame(draw);\n}\n"
    "canvas.onpointerdown = e => canvas.setPointerCapture(e.pointerId);\n"
    "canvas.onpointermove = e => {\n"
    "  if (!e.buttons || data.planar) return;\n"
    "  turn += e.movementX / 150;\n  tilt = Math.min(1.5, Math.max(-1.5, tilt + e.movementY / "
    "150));\n"
    "};\n"
    "if (data.modes.length) choose(Math.max(0, data.modes.findIndex(m => m.im !== 0)));\n"
    "requestAnimationFrame(draw);\n</script></body></html>\n";

typedef struct writer {
  trm_json json;
  const trm_body *body;
  double R[3][3]; /* axes of the body's frame, in columns */
} writer;

/* From the body's frame, turned as it stands. */
static void write_point(writer *w, const double u[3]) {
  double p[3];
  for (int i = 0; i < 3; i++) p[i] = w->R[i][0] * u[0] + w->R[i][1] * u[1] + w->R[i][2] * u[2];
  trm_json_numbers(&w->json, NULL, p, 3, 6);
}

static void write_lines(writer *w, int count, double points[][3]) {
  trm_json_open_list(&w->json, NULL);
  for (int i = 0; i < count; i++) write_point(w, points[i]);
  trm_json_close_list(&w->json);
}

static const double *find_point(const trm_body *body, const char *name) {
  static const double origin[3];
  for (int i = 0; i < body->point_count; i++)
    if (strcmp(body->points[i].name, name) == 0) return body->points[i].u;
  return origin;
}

static void write_box(writer *w, const double size[3]) {
  for (int k = 0; k < 4; k++) {
    double face[5][3];
    for (int i = 0; i < 5; i++) {
      double a = i % 4 == 1 || i % 4 == 2 ? 0.5 : -0.5, b = i % 4 >= 2 ? 0.5 : -0.5;
      double c = k % 2 ? 0.5 : -0.5;
      face[i][0] = size[0] * (k < 2 ? c : a);
      face[i][1] = size[1] * (k < 2 ? a : c);
      face[i][2] = size[2] * b;
    }
    write_lines(w, 5, face);
  }
}

/* A circle with two spokes, so that a spin is seen. */
static void write_circle(writer *w, const double axis[3], double radius, double shift) {
  enum { CORNERS = 36 };
  double ring[CORNERS + 1][3], spoke[2][3], e[3], f[3], size = trm_norm(3, axis);
  double n[3] = {axis[0] / size, axis[1] / size, axis[2] / size};
  double other[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0};
  trm_cross(n, other, e);
  double length = trm_norm(3, e);
  for (int k = 0; k < 3; k++) e[k] /= length;
  trm_cross(n, e, f);
  for (int i = 0; i <= CORNERS; i++) {
    double angle = 2 * 3.14159265358979323846 * i / CORNERS;
    for (int k = 0; k < 3; k++)
      ring[i][k] = shift * n[k] + radius * (cos(angle) * e[k] + sin(angle) * f[k]);
  }
  write_lines(w, CORNERS + 1, ring);
  for (int k = 0; k < 3; k++) {
    spoke[0][k] = shift * n[k] - radius * e[k];
    spoke[1][k] = shift * n[k] + radius * e[k];
  }
  write_lines(w, 2, spoke);
}

static void write_shape(writer *w) {
  const trm_body *b = w->body;
  const trm_shape_def *s = &b->shape;
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  switch (s->type) {
  case TRM_SHAPE_BOX: write_box(w, s->size); return;
  case TRM_SHAPE_SPHERE:
    for (int k = 0; k < 3; k++) write_circle(w, axes[k], s->size[0], 0);
    return;
  case TRM_SHAPE_CYLINDER:
  case TRM_SHAPE_CONE:
    write_circle(w, s->axis, s->size[0], -s->size[1] / 2);
    write_circle(w, s->axis, s->size[0], s->size[1] / 2);
    return;
  case TRM_SHAPE_ROD:
  case TRM_SHAPE_PATH:
    trm_json_open_list(&w->json, NULL);
    for (int i = 0; i < s->point_count; i++) write_point(w, find_point(b, s->points[i]));
    trm_json_close_list(&w->json);
    return;
  default: break;
  }
  for (int i = 0; i < b->point_count; i++) {
    double line[2][3] = {{0, 0, 0}};
    memcpy(line[1], b->points[i].u, sizeof line[1]);
    write_lines(w, 2, line);
  }
}

static void write_body(writer *w, const trm_system *sys, int b) {
  double x[3] = {0, 0, 0}, origin[1][3] = {{0, 0, 0}};
  w->body = &sys->model->bodies[b];
  memset(w->R, 0, sizeof w->R);
  w->R[2][2] = 1;
  const trm_end end = {.body = b};
  const trm_marker centre = trm_system_point(sys, &end);
  trm_position(&sys->motion, &centre, x);
  for (int k = 0; k < sys->motion.dim; k++) {
    const trm_marker axis = trm_system_axis(sys, b, (double[3]){k == 0, k == 1, k == 2});
    double d[3] = {0, 0, 0};
    trm_direction(&sys->motion, &axis, d);
    for (int i = 0; i < 3; i++) w->R[i][k] = d[i];
  }
  trm_json_open(&w->json, NULL);
  trm_json_string(&w->json, "name", w->body->name);
  trm_json_string(&w->json, "color", w->body->color ? w->body->color : "#4477aa");
  trm_json_numbers(&w->json, "x", x, 3, 9);
  trm_json_open_list(&w->json, "lines");
  write_shape(w);
  write_lines(w, 1, origin); /* a body has a place even where it has no lines */
  trm_json_close_list(&w->json);
  trm_json_close(&w->json);
}

static void write_modes(trm_json *json, const trm_modes *modes, int bodies) {
  trm_json_open_list(json, "modes");
  for (int k = 0; k < modes->count; k++) {
    const trm_mode *mode = &modes->modes[k];
    if (mode->im < 0) continue; /* the other of a pair */
    trm_json_open(json, NULL);
    trm_json_number(json, "re", mode->re);
    trm_json_number(json, "im", mode->im);
    trm_json_number(json, "frequency", mode->frequency);
    trm_json_number(json, "damping", mode->damping);
    trm_json_numbers(json, "motion", mode->motion, mode->motion ? 12 * bodies : 0, 6);
    trm_json_close(json);
  }
  trm_json_close_list(json);
}

static const char *title(const trm_model *model) {
  if (*model->name || !model->file) return model->name;
  const char *slash = strrchr(model->file, '/');
  return slash ? slash + 1 : model->file;
}

trm_status trm_modes_write_page(const trm_modes *modes, trm_simulation *sim, const char *path,
                                trm_diagnostics *diagnostics) {
  const trm_system *sys = sim->engine->system;
  const trm_model *model = sim->engine->model;
  if (model->user || (modes->count > 0 && !modes->modes[0].motion)) {
    trm_report(diagnostics, TRM_ERROR,
               "only modes of bodies can be shown, of a model that is not "
               "large");
    return TRM_BAD_USAGE;
  }
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_system_complete_frames(sim->engine->system);
  writer w = {0};
  trm_output_text(output, head);
  trm_json_begin(&w.json, output);
  w.json.html = true;
  trm_json_string(&w.json, "name", title(model));
  trm_json_bool(&w.json, "planar", model->dim == 2);
  trm_json_open_list(&w.json, "bodies");
  for (int b = 0; b < trm_model_placed(model); b++) write_body(&w, sys, b);
  trm_json_close_list(&w.json);
  write_modes(&w.json, modes, trm_model_placed(model));
  trm_json_end(&w.json);
  trm_output_text(output, tail);
  return trm_output_close(output, diagnostics);
}
