/* trammel film: the motion of a run as a film, a picture that moves, or a 3-D animation. */
#define _POSIX_C_SOURCE 200809L
#include "external.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096 };

typedef struct film {
  const trm_cli_arguments *arguments;
  trm_diagnostics *diagnostics;
  trm_scene *scene;
  trm_drawing *drawing;
  trm_drawing_options look;
  const char *path;
  double rate, seconds, start, end; /* frames a second, how long, of which times */
} film;

static trm_scene *read_scene(const char *path, trm_diagnostics *diagnostics) {
  char scene[LONGEST_PATH];
  bool given = strcmp(trm_cli_ending(path), "json") == 0 || access(path, F_OK) != 0;
  if (!given && trm_cli_file_of_run(path, "scene.json", scene, sizeof scene)) path = scene;
  return trm_scene_read(path, diagnostics);
}

/* --- films by ffmpeg --- */

static bool feed(film *f, FILE *out, long frames) {
  size_t size = 3 * (size_t)f->look.width * (size_t)f->look.height;
  unsigned char *pixels = malloc(size);
  bool good = pixels != NULL;
  trm_cli_bar bar;
  trm_cli_bar_start(&bar, true);
  for (long k = 0; good && k < frames; k++) {
    double part = frames > 1 ? (double)k / (double)(frames - 1) : 0;
    trm_drawing_render(f->drawing, f->start + part * (f->end - f->start), pixels);
    good = fwrite(pixels, 1, size, out) == size;
    trm_cli_bar_show(&bar, "frames", part);
  }
  trm_cli_bar_end(&bar);
  free(pixels);
  return good;
}

/* How ffmpeg writes a kind of file; NULL: not one we know. */
static const char *const *codec(const char *ending) {
  static const char *const mp4[] = {"-c:v", "libx264",   "-pix_fmt",   "yuv420p", "-crf",
                                    "20",   "-movflags", "+faststart", NULL};
  static const char *const gif[] = {
      "-filter_complex",
      "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none", "-loop", "0",
      NULL};
  static const char *const webp[] = {"-c:v", "libwebp_anim", "-loop", "0", "-q:v", "70", NULL};
  static const char *const png[] = {"-frames:v", "1", NULL};
  if (strcmp(ending, "mp4") == 0) return mp4;
  if (strcmp(ending, "gif") == 0) return gif;
  if (strcmp(ending, "webp") == 0) return webp;
  return strcmp(ending, "png") == 0 ? png : NULL;
}

static int write_film(film *f, const char *const *how) {
  char size[32], rate[32];
  bool still = strcmp(trm_cli_ending(f->path), "png") == 0;
  snprintf(size, sizeof size, "%dx%d", f->look.width, f->look.height);
  snprintf(rate, sizeof rate, "%.6g", f->rate);
  const char *words[32] = {"ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt",
                           "rgb24",  "-s",       size, "-r",    rate, "-i", "pipe:0"};
  int count = 15;
  while (*how) words[count++] = *how++;
  words[count] = f->path;
  if (!trm_cli_check_writable(f->path)) return 1;
  trm_cli_pipe encoder;
  if (!trm_cli_pipe_open(&encoder, words, "a film (.svg and .glb need nothing)")) return 1;
  long frames = still ? 1 : lround(f->seconds * f->rate);
  bool good = feed(f, encoder.file, frames > 1 ? frames : 1);
  return trm_cli_pipe_close(&encoder) && good ? 0 : 1;
}

/* --- options --- */

static bool read_size(film *f) {
  const char *text = trm_cli_value(f->arguments, "size");
  char rest;
  if (!text) return true;
  int found = sscanf(text, "%dx%d%c", &f->look.width, &f->look.height, &rest);
  bool good = found == 2 && f->look.width >= 16 && f->look.height >= 16 && f->look.width <= 8192 &&
              f->look.height <= 8192;
  if (!good) trm_cli_error("--size: '%s' is not like 960x720", text);
  f->look.width -= f->look.width % 2; /* films have even sizes */
  f->look.height -= f->look.height % 2;
  return good;
}

static bool read_times(film *f) {
  double at = NAN;
  f->start = trm_scene_start(f->scene);
  f->end = trm_scene_end(f->scene);
  f->rate = 30;
  if (!trm_cli_number(f->arguments, "from", 0, &f->start) ||
      !trm_cli_number(f->arguments, "to", 0, &f->end) ||
      !trm_cli_number(f->arguments, "at", 0, &at) ||
      !trm_cli_number(f->arguments, "fps", 1, &f->rate))
    return false;
  if (!isnan(at)) f->start = f->end = at;
  /* a second of the film is one of the motion, unless that is a blink or an hour */
  double span = f->end - f->start;
  f->seconds = span >= 2 && span <= 20 ? span : 8;
  return trm_cli_number(f->arguments, "seconds", 0.05, &f->seconds);
}

static bool read_look(film *f) {
  double ghosts = 0;
  f->look = trm_default_drawing_options();
  f->look.dark = trm_cli_given(f->arguments, "dark");
  if (f->look.dark) f->look.background = 0x1b1f26;
  f->look.trace = trm_cli_value(f->arguments, "trace");
  if (!read_size(f) || !trm_cli_number(f->arguments, "ghosts", 0, &ghosts)) return false;
  f->look.ghosts = ghosts < 200 ? (int)ghosts : 200;
  return true;
}

/* --- the command --- */

static int draw(film *f) {
  const char *ending = trm_cli_ending(f->path);
  const char *const *how = codec(ending);
  bool svg = strcmp(ending, "svg") == 0;
  if (!how && !svg) {
    trm_cli_error("'%s' should end in .mp4, .gif, .webp, .svg, .png or .glb", f->path);
    return 2;
  }
  if (!read_look(f) || !read_times(f)) return 2;
  f->drawing = trm_drawing_create(f->scene, &f->look, f->diagnostics);
  if (!f->drawing) return 2;
  if (!svg) return write_film(f, how);
  double rate = trm_cli_given(f->arguments, "fps") ? f->rate : 12; /* between them it glides */
  double frames = trm_cli_given(f->arguments, "at") ? 1 : rate * f->seconds;
  return trm_drawing_write_svg(f->drawing, f->start, f->end, frames < 240 ? (int)frames : 240,
                               f->seconds, f->path, f->diagnostics) == TRM_OK
             ? 0
             : 1;
}

static int film_command(const trm_cli_arguments *arguments) {
  film f = {.arguments = arguments, .path = trm_cli_value(arguments, "output")};
  if (!f.path) {
    trm_cli_error("film needs '-o FILE', which ends in .mp4, .gif, .webp, .svg, .png or .glb");
    return 2;
  }
  int status = 3;
  f.diagnostics = trm_diagnostics_create();
  if (!f.diagnostics) {
    trm_cli_error("out of memory");
    return 1;
  }
  f.scene = read_scene(arguments->models[0], f.diagnostics);
  if (f.scene && !trm_cli_check_writable(f.path))
    status = 1;
  else if (f.scene && strcmp(trm_cli_ending(f.path), "glb") == 0)
    status = trm_scene_write_glb(f.scene, f.path, f.diagnostics) == TRM_OK ? 0 : 1;
  else if (f.scene)
    status = draw(&f);
  trm_cli_print_diagnostics(f.diagnostics, false);
  trm_drawing_destroy(f.drawing);
  trm_scene_destroy(f.scene);
  trm_diagnostics_destroy(f.diagnostics);
  return status;
}

static const trm_cli_option options[] = {
    {"output", 'o', "FILE",
     ".mp4, .gif, .webp, .png by ffmpeg; .svg, which moves by itself; .glb, glTF 2.0"},
    {"size", 0, "WxH", "pixels; default: 960x720"},
    {"fps", 0, "N", "frames a second; default: 30, .svg: 12"},
    {"seconds", 0, "S", "how long the film is; default: as long as the motion, or 8"},
    {"from", 0, "T", "where it begins"},
    {"to", 0, "T", "where it ends"},
    {"at", 0, "T", "a still at this time (.png, .svg)"},
    {"trace", 0, "POINT", "draw the way of a point, such as foot.toe"},
    {"ghosts", 0, "N", "as through a stroboscope: N instants of the run behind"},
    {"dark", 0, NULL, "on a dark background"},
    {0}};

const trm_cli_command trm_cli_film = {
    .name = "film",
    .usage =
        "DIR -o FILE [--size WxH] [--fps N] [--seconds S] [--trace POINT] [--ghosts N] [--dark]",
    .summary = "the motion of a run as a film, a moving picture or a glTF animation",
    .notes =
        "DIR is the folder of a run: its scene.json has the frames. Films need the program "
        "ffmpeg.\n\n"
        "exit status: 0 written; 1 it could not be; 2 wrong usage; 3 no scene of a run there\n",
    .options = options,
    .least_models = 1,
    .most_models = 1,
    .run = film_command};
