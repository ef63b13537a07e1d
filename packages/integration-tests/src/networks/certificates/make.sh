#!/usr/bin/env bash
# Makes the certificates of this folder. They belong to nothing but the tests, and their keys are public.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
touch "$work/index.txt"
config="[ca]
default_ca = here
[here]
database = $work/index.txt
new_certs_dir = $work
default_md = sha256
policy = any
unique_subject = no
rand_serial = yes
[any]
commonName = supplied"

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }

# sign <name> <key> <last year> <extensions> <signer…>
sign() {
  local name=$1 key=$2 year=$3 extensions=$4
  shift 4
  openssl req -new -key "$key" -subj "/CN=modelrun test $name" -out "$work/request.pem"
  openssl ca -batch -notext -config <(echo "$config") -extfile <(echo -e "$extensions") -in "$work/request.pem" \
    -startdate 20200101000000Z -enddate "${year}0101000000Z" -out "$name.pem" "$@"
}

key "$work/authority.key"
key server.key
here="subjectAltName = DNS:localhost, IP:127.0.0.1"
authority=(-cert authority.pem -keyfile "$work/authority.key")
sign authority "$work/authority.key" 2120 "basicConstraints = critical, CA:TRUE" -selfsign -keyfile "$work/authority.key"
sign self-signed server.key 2120 "$here" -selfsign -keyfile server.key
sign server server.key 2120 "$here" "${authority[@]}"
sign other-name server.key 2120 "subjectAltName = DNS:other.example.com" "${authority[@]}"
sign expired server.key 2021 "$here" "${authority[@]}"
