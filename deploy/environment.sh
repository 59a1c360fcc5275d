# Sourced by deploy/demo and tests/check: makes the project's virtual environment once, and installs into it what is asked for.
# Packages named behind that are installed without what they ask for.
# Sets BIN to its programs' folder. PYTHON names another interpreter; 3.11 or newer is needed.

environment() {
  local wanted="$1" root mark stamp python
  shift
  root="$(pwd)"
  BIN="$root/.venv/bin"
  # pip comes last: without it, the making was interrupted.
  if [ ! -x "$BIN/python" ] || [ ! -x "$BIN/pip" ]; then
    python="$(find_python)" || {
      echo "Python 3.11 or newer with its venv module is needed, and none was found." >&2
      echo "Install it (on Debian and Ubuntu: python3 and python3-venv), or name it: PYTHON=/path/to/python $0" >&2
      exit 2
    }
    echo "Making a virtual environment in .venv with $("$python" --version) …" >&2
    "$python" -m venv .venv
  fi
  # What was installed for which dependencies: a second run has nothing to install.
  stamp="$BIN/../installed-$(printf '%s' "$wanted" | tr -c 'a-z\n' '-')"
  mark="$(cat pyproject.toml deploy/constraints.txt | cksum)"
  if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$mark" ]; then
    echo "Installing $wanted (once; it takes about a minute) …" >&2
    "$BIN/python" -m pip --require-virtualenv install --quiet --disable-pip-version-check --constraint deploy/constraints.txt --editable "$wanted"
    if [ $# -gt 0 ]; then
      "$BIN/python" -m pip --require-virtualenv install --quiet --disable-pip-version-check --constraint deploy/constraints.txt --no-deps "$@"
    fi
    printf '%s' "$mark" >"$stamp"
  fi
}

find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3 python3.11 python3.12 python3.13 python3.14 python; do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 &&
      "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}
