# Sourced by the other scripts: makes .venv with the package and its tools, once, and again when what it is made of changes.
# After it, $python is the interpreter to use. Everything it says goes to stderr.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv="$root/.venv"
python="$venv/bin/python"

find_python() {
    local candidate
    for candidate in ${BCSEARCH_PYTHON:-} python3.13 python3.12 python3.11 python3 python; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' >/dev/null 2>&1; then
            echo "$candidate"
            return 0
        fi
    done
    echo "bcsearch: Python 3.11 or newer is needed and was not found; set BCSEARCH_PYTHON to one" >&2
    return 1
}

install() {
    local base wanted=$1
    base=$(find_python) || return 1
    echo "bcsearch: first use: installing into $venv (a minute or two) ..." >&2
    rm -f "$venv/.installed"
    # A .venv that cannot run Python (moved, or its interpreter is gone) is made anew.
    "$python" -c '' 2>/dev/null || { rm -rf "$venv" && "$base" -m venv "$venv"; } || return 1
    "$python" -m pip install --quiet --disable-pip-version-check -c "$root/scripts/constraints.txt" \
        -e "$root[dev,cluster]" >&2 || return 1
    echo "$wanted" >"$venv/.installed"
}

bootstrap() {
    local wanted
    wanted=$(cat "$root/pyproject.toml" "$root/scripts/constraints.txt" | cksum; echo "$root")
    [ -x "$python" ] && [ "$(cat "$venv/.installed" 2>/dev/null)" = "$wanted" ] && return 0
    # One installation at a time; whoever waited finds it done.
    mkdir -p "$venv"
    if command -v flock >/dev/null; then exec 9>"$venv/.lock" && flock 9; fi
    if [ "$(cat "$venv/.installed" 2>/dev/null)" != "$wanted" ]; then
        install "$wanted" || { echo "bcsearch: the installation failed; see above" >&2; exit 1; }
    fi
    exec 9>&-
}

bootstrap
