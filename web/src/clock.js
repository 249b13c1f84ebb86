// What time it is in the animation; everything that shows time listens.
export class Clock {
  constructor(start, end) {
    this.start = start;
    this.end = end;
    this.t = start;
    this.speed = 1;
    this.loop = true;
    this.playing = false;
    this.listeners = new Set();
    this.frames = [];
  }

  on(listener) {
    this.listeners.add(listener);
    return listener;
  }

  off(listener) {
    this.listeners.delete(listener);
  }

  #tell() {
    for (const listener of this.listeners) listener(this.t);
  }

  seek(t) {
    this.t = Math.min(Math.max(t, this.start), this.end);
    this.#tell();
  }

  play(on = true) {
    if (on && this.t >= this.end) this.t = this.start;
    if (on === this.playing) return;
    this.playing = on;
    this.frames = [];
    if (on) requestAnimationFrame((now) => this.#tick(now, now));
    this.#tell();
  }

  toggle() {
    this.play(!this.playing);
  }

  #tick(now, before) {
    if (!this.playing) return;
    let t = this.t + (this.speed * (now - before)) / 1000;
    if (t >= this.end) {
      if (this.loop && this.end > this.start) t = this.start + ((t - this.start) % (this.end - this.start));
      else {
        t = this.end;
        this.playing = false;
      }
    }
    this.t = t;
    this.frames.push(now);
    if (this.frames.length > 60) this.frames.shift();
    this.#tell();
    if (this.playing) requestAnimationFrame((next) => this.#tick(next, now));
  }

  /** Frames a second, over the last ones. */
  get rate() {
    const { frames } = this;
    return frames.length < 2 ? 0 : (1000 * (frames.length - 1)) / (frames.at(-1) - frames[0]);
  }
}
