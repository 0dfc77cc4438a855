# Shared by the commands in the root folder: finds or gets the tools, builds a module, starts its main class.
# Sourced by bash with "set -euo pipefail"; "root" is the folder of the repository.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PATH="$PATH:/usr/local/sbin:/usr/sbin" # servers live there, and an ordinary user's PATH often lacks it
export POSTRIDER_HOME="${POSTRIDER_HOME:-$root/.postrider}"

java_minimum=17
maven_minimum=3.8

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

# at_least WANTED ACTUAL: compares versions number by number.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

may_install() {
    command -v apt-get > /dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2> /dev/null; }
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# apt_install PACKAGE: lists are fetched only if the package cannot be had without. Its service is not started: the
# policy file is the one thing that every way of starting services asks. A policy that is there already is kept.
apt_install() (
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        trap 'as_root rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" > /dev/null
        as_root chmod 755 "$policy"
    fi
    install=(as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1")
    say "Installing $1"
    "${install[@]}" > /dev/null 2>&1 || { as_root apt-get update -qq && "${install[@]}" > /dev/null; }
)

# require_package COMMAND PACKAGE
require_package() {
    command -v "$1" > /dev/null && return
    may_install || fail "$1 is needed: install it, on Debian with 'sudo apt-get install $2'."
    apt_install "$2" || fail "$2 could not be installed by apt-get."
    command -v "$1" > /dev/null || fail "$2 is installed, but $1 is still not on the PATH."
}

# require_postgres_15: Debian keeps the programs of each version in a folder that is not on the PATH.
require_postgres_15() {
    [ -x /usr/lib/postgresql/15/bin/postgres ] && return
    may_install || fail "PostgreSQL 15 is needed: install it, on Debian with 'sudo apt-get install postgresql-15'."
    apt_install postgresql-15 || fail "postgresql-15 could not be installed by apt-get."
    [ -x /usr/lib/postgresql/15/bin/postgres ] || fail "postgresql-15 is installed, but has no postgres."
}

# jdk_at HOME: whether this is a JDK that is new enough.
jdk_at() {
    local version
    [ -x "$1/bin/javac" ] && [ -x "$1/bin/java" ] || return 1
    version=$("$1/bin/javac" -version 2>&1 | sed -n 's/^javac //p')
    [ -n "$version" ] && at_least "$java_minimum" "$version"
}

# jdk_on_path: the home of the javac on the PATH.
jdk_on_path() {
    if [ -x /usr/libexec/java_home ]; then
        /usr/libexec/java_home -v "$java_minimum+" 2> /dev/null
    else
        local javac
        javac=$(command -v javac) && dirname "$(dirname "$(readlink -f "$javac")")"
    fi
}

# find_java: leaves JAVA_HOME at a JDK.
find_java() {
    if [ -n "${JAVA_HOME:-}" ] && jdk_at "$JAVA_HOME"; then return; fi
    local home
    home=$(jdk_on_path) || home=
    if ! { [ -n "$home" ] && jdk_at "$home"; }; then
        may_install || fail "A JDK $java_minimum or newer is needed: install one and set JAVA_HOME."
        apt_install openjdk-17-jdk-headless || fail "openjdk-17-jdk-headless could not be installed by apt-get."
        home=$(dirname "$(dirname "$(ls -d /usr/lib/jvm/java-17-openjdk-*/bin/javac | head -n 1)")")
        jdk_at "$home" || fail "openjdk-17-jdk-headless is installed, but no javac was found in $home."
    fi
    export JAVA_HOME="$home"
}

mvn_is_recent() {
    local version
    version=$(mvn -v 2> /dev/null | sed -n 's/.*Apache Maven \([0-9.]*\).*/\1/p') || return 1
    [ -n "$version" ] && at_least "$maven_minimum" "$version"
}

# maven ARGUMENTS: the first that works of mvn, the wrapper, and Debian's maven.
maven() {
    if [ -z "${maven_command:-}" ]; then
        if mvn_is_recent; then
            maven_command=mvn
        elif (cd "$root" && ./mvnw -v > /dev/null 2>&1); then
            maven_command="$root/mvnw"
        else
            may_install || fail "Maven $maven_minimum or newer is needed, and ./mvnw could not download it: install it."
            apt_install maven || fail "maven could not be installed by apt-get."
            maven_command=mvn
        fi
    fi
    (cd "$root" && "$maven_command" -B --no-transfer-progress "$@")
}

# is_built MODULE: nothing that goes into the module changed since it was built.
is_built() {
    local stamp="$root/$1/target/built"
    [ -e "$stamp" ] && [ -d "$root/$1/target/classes" ] && [ -d "$root/$1/target/lib" ] || return 1
    [ -z "$(cd "$root" && find pom.xml bom core stores tck destinations integrations "$1" \( -name target -o -path '*/src/test' \) -prune \
        -o \( -name pom.xml -o -path '*/src/*' \) -newer "$stamp" -print | head -n 1)" ]
}

# build MODULE: the module, what it needs of ours, and its class path in target/lib. Nothing goes into the local
# repository, where another clone would find it.
build() {
    is_built "$1" && return
    say "Building $1"
    mkdir -p "$root/$1/target"
    touch "$root/$1/target/building" # taken before the build, so that a change made meanwhile is seen next time
    rm -rf "$root/$1/target/lib"
    maven -q -DskipTests -Dspotless.check.skip=true -pl "$1" -am package dependency:copy-dependencies \
        -DincludeScope=runtime -DoutputDirectory=target/lib
    mv "$root/$1/target/building" "$root/$1/target/built"
}

# published: the modules that a release consists of, but for the BOM, which has nothing to build.
published() {
    sed -n 's/^ *<module>\(.*\)<\/module>$/\1/p' "$root/pom.xml" | while read -r module; do
        [ "$module" = bom ] || grep -q '<maven.deploy.skip>true' "$root/$module/pom.xml" || printf '%s\n' "$module"
    done | paste -s -d , -
}

# package_release ARGUMENTS: the jars of a release, with sources and Javadoc, without tests.
package_release() {
    maven -q -Prelease -Dmaven.test.skip -Dspotless.check.skip -pl "$(published)" -am package "$@"
}

# start MODULE CLASS ARGUMENTS: takes the place of the shell, so that Ctrl-C and kill reach the program itself.
start() {
    local module=$1 class=$2
    shift 2
    find_java
    build "$module"
    exec "$JAVA_HOME/bin/java" -cp "$root/$module/target/classes:$root/$module/target/lib/*" "$class" "$@"
}
