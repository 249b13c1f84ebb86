"""Large studies: the cost of a run, a million runs, ranks that are killed. Prints what it measured."""
import csv
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["TRAMMEL"])
MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"
METHOD = ("--integrator", "dop853", "--rtol", "1e-6", "--atol", "1e-9", "--step", "5")
PENDULUM = """\
trammel: 1
name: Pendulum
system:
  coordinates: {u: a}
  mass: {u: 1}
  forces: {u: -sin(u)}
parameters: {a: 1}
simulate: {duration: 1, integrator: rk4, step: 0.1}
"""


class Study(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def cpu(self, *words):
        """Seconds of user and system time, and the largest memory in kB."""
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        self.assertEqual(status, 0, words)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


class Long(Study):
    def test_ten_thousand_four_bars(self):
        """A run costs at most 1.2 times its time loop. CPU time of the same study with and without its time
        loops, in turn: the machine has other work, too, which slows both alike."""
        def study(duration, out):
            cpu, _ = self.cpu("sweep", MODELS / "four_bar.yaml", *METHOD, "--duration", duration, "--vary",
                              "L=uniform(3.99, 4.01)", "--samples", 10000, "--record", "max(coupler.C.y)", "-o", out,
                              "--no-report", "--quiet")
            return cpu
        ratios = []
        for k in range(5):
            whole, around = study(5, f"bars{k}"), study(0, f"around{k}")
            ratios.append(whole / (whole - around))
        ratio = sorted(ratios)[2]
        print(f"\n10 000 four-bars: {whole:.2f} s of CPU time, {ratio:.3f} times the time loops")
        self.assertLessEqual(ratio, 1.2)
        self.assertEqual((self.folder / "bars0/sweep.csv").read_text().count("\n"), 10001)

    def test_a_million(self):
        (self.folder / "model.yaml").write_text(PENDULUM)
        words = ("model.yaml", "--vary", "a=uniform(0, 2)", "--record", "final(u)", "--no-report", "--quiet")
        _, few = self.cpu("sweep", *words, "--samples", 10000, "-o", "few")
        cpu, many = self.cpu("sweep", *words, "--samples", 1000000, "-o", "many")
        print(f"\n1 000 000 pendulums: {cpu:.0f} s of CPU time, {many / 1024:.1f} MB; 10 000: {few / 1024:.1f} MB")
        self.assertLess(many - few, 16000)
        with open(self.folder / "many/sweep.csv", newline="") as file:
            rows = csv.reader(file)
            next(rows)
            count = 0
            for count, row in enumerate(rows, 1):
                if int(row[0]) != count or row[2] != "completed":
                    self.fail(row)
        self.assertEqual(count, 1000000)


@unittest.skipUnless(shutil.which("mpirun") and PROGRAM.with_name("trammel-mpi").exists(), "no MPI here")
class Ranks(Study):
    STUDY = (MODELS / "four_bar.yaml", *METHOD, "--vary", "L=uniform(3, 5)", "--samples", "6000", "--record",
             "max(coupler.C.y)", "--record", "rms(A.f)", "--no-report", "--quiet")

    def start(self, ranks, out, *more, limit=None):
        """limit: bytes that a file may have, as on a disk that is full."""
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1")
        words = [PROGRAM, "sweep", *map(str, self.STUDY), *map(str, more), "-o", out]
        if limit:
            environment["OMPI_MCA_btl"] = "self,tcp"  # memory that is shared is a file, too
            words = ["bash", "-c", f'trap "" XFSZ; ulimit -f {limit // 1024}; exec "$@"', "bash", *words]
        return subprocess.Popen(["mpirun", "-n", str(ranks), *words], cwd=self.folder, env=environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def bytes(self, out):
        return [path.read_bytes() for path in sorted((self.folder / out).glob("sweep.[ch]*5*")) + [self.folder / out / "sweep.csv"]]

    def ranks_of(self, job):
        """Processes of the job, by their rank."""
        found = {}
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                words = (folder / "environ").read_bytes().split(b"\0")
                name = (folder / "comm").read_text().strip()
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, ValueError):
                continue
            rank = [word for word in words if word.startswith(b"OMPI_COMM_WORLD_RANK=")]
            if name == "trammel-mpi" and rank and parent == job.pid:
                found[int(rank[0].split(b"=")[1])] = int(folder.name)
        return found

    def size(self, out):
        return sum(path.stat().st_size for path in (self.folder / out / "runs").glob("*.log"))

    def test_killed(self):
        """Four ranks: first one of them is killed, then the head, then another; the table is the same."""
        many = ("--samples", 20000)  # the others go on for a while until they are told that one is dead
        self.cpu("sweep", *self.STUDY, *many, "-o", "alone")
        killed = 0
        for victim in (2, 0, 1):
            before = self.size("killed")
            job = self.start(4, "killed", *many)
            end = time.monotonic() + 120
            while job.poll() is None and time.monotonic() < end and self.size("killed") < before + 40000:
                time.sleep(0.01)
            rank = self.ranks_of(job).get(victim)
            if rank:
                os.kill(rank, signal.SIGKILL)
                killed += 1
            job.communicate(timeout=120)
        self.assertEqual(killed, 3)
        before = self.size("killed")
        left = self.size("alone") - before
        self.assertGreater(left, 32768, "all was done before the disk could be full")
        job = self.start(4, "killed", *many, limit=left // 16)  # no room for all that is left
        error = job.communicate(timeout=300)[1].decode()
        self.assertNotEqual(job.returncode, 0)
        self.assertIn("could not be kept", error)
        self.assertGreater(self.size("killed"), before)
        job = self.start(4, "killed", *many)
        job.communicate(timeout=300)
        self.assertEqual(job.returncode, 0)
        self.assertEqual(self.bytes("alone"), self.bytes("killed"))

    def test_rate(self):
        """Two ranks against one: CPU time for the same runs tells what handing out costs."""
        def used(ranks):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            job = self.start(ranks, f"rate{ranks}")
            job.communicate(timeout=600)
            self.assertEqual(job.returncode, 0)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        one, two = used(1), used(2)
        print(f"\n6000 runs: {one:.2f} s of CPU time by one rank, {two:.2f} s by two")
        self.assertLessEqual(two, one / 0.9)

    def test_wall_rate(self):
        """Two ranks against two programs at once, each with half of the runs, in turn: the machine has other work, too."""
        def together(out):
            began = time.monotonic()
            jobs = [subprocess.Popen([PROGRAM, "sweep", *map(str, self.STUDY), "--samples", "60000", "--threads", "1", "--part",
                                      f"{part}/2", "-o", out], cwd=self.folder, stdout=subprocess.DEVNULL) for part in (1, 2)]
            self.assertEqual([job.wait(timeout=900) for job in jobs], [0, 0])
            return time.monotonic() - began

        def ranks(out):
            began = time.monotonic()
            job = self.start(2, out, "--samples", 60000)
            job.communicate(timeout=900)
            self.assertEqual(job.returncode, 0)
            return time.monotonic() - began
        ratios = sorted(together(f"two{k}") / ranks(f"ranks{k}") for k in range(3))
        print(f"\n60 000 runs: two ranks at {', '.join(f'{100 * ratio:.0f} %' for ratio in ratios)} of the rate of two programs")
        self.assertGreaterEqual(ratios[1], 0.9)


if __name__ == "__main__":
    unittest.main()
