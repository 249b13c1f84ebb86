#!/usr/bin/env bash
# A wheel is built from the sources, and passes the package's tests in a clean virtual environment.
set -eu
rm -rf venv wheel
/usr/bin/python3 -m venv venv
venv/bin/pip install --quiet numpy cffi || { echo "no PyPI here"; exit 77; }
venv/bin/pip wheel --quiet --no-deps -w wheel "$TRM_SOURCE_DIR"
venv/bin/pip install --quiet wheel/trammel-*-abi3-*.whl
cd venv # not where a folder of the same name is
TRM_INSTALLED=1 bin/python "$TRM_SOURCE_DIR/tests/python/test_package.py"
bin/python -m trammel check "$TRM_SOURCE_DIR/models/four_bar.yaml"
