#!/usr/bin/env bash
# A wheel is built from the sources with the libraries it needs, and passes the package's tests in a
# clean virtual environment.
set -eu
rm -rf venv wheel
/usr/bin/python3 -m venv venv
venv/bin/pip install --quiet numpy cffi || { echo "no PyPI here"; exit 77; }
"$TRM_SOURCE_DIR/scripts/wheel" wheel
venv/bin/pip install --quiet wheel/trammel-*-abi3-*.whl
cd venv # not where a folder of the same name is
for subject in package objects; do
  TRM_INSTALLED=1 bin/python "$TRM_SOURCE_DIR/tests/python/test_$subject.py"
done
bin/python -m trammel check "$TRM_SOURCE_DIR/models/four_bar.yaml"
# libraries under the LGPL are files of their own, and have their licences
site=$(bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
module=$(echo "$site"/trammel/_trammel.*.so)
for name in klu btf nlopt; do
  ldd "$module" | grep -q "trammel.libs/lib$name" || { echo "lib$name is the system's"; exit 1; }
  grep -q . "$site"/trammel-*.dist-info/licenses/lib$name.txt
done
