#!/bin/sh
# Makes the maps of this folder and asks the real crushtool (Ceph 16.2.15, Debian package ceph-base) how it maps
# with them. Run here: ./generate.sh
#
# NAME.txt      a map in text form, NAME.map the same as `crushtool -c` compiled it
# NAME.golden   lines `$ COMMAND`, each followed by what the command printed, without the words: `CRUSH rule 3 x 7
#               [1,2]` is `3 7 1,2`
set -eu
cd "$(dirname "$0")"

# Devices of every map: 26 on 8 hosts in 3 racks. Host n has 2 to 5 devices.
hosts='0:2 1:4 2:3 3:5 4:2 5:4 6:3 7:3'

# weight DEVICE: unequal, from 0.5 to 4.25, one of 0; all 1.0 if $equal is set.
weight() {
	if [ -n "$equal" ]; then echo 1.0; else echo "$1" | awk '{ print $1 == 11 ? 0 : 0.5 + ($1 * 7 % 16) / 4 }'; fi
}

# map ALGORITHM STRAW_CALC_VERSION: the text, classes where crushtool can shadow the algorithm.
map() {
	algorithm=$1
	equal=
	classes=yes
	case $algorithm in
	uniform) equal=yes classes= ;;
	tree) classes= ;;
	esac
	for tunable in 'choose_local_tries 0' 'choose_local_fallback_tries 0' 'choose_total_tries 50' \
		'chooseleaf_descend_once 1' 'chooseleaf_vary_r 1' 'chooseleaf_stable 1' "straw_calc_version $2" \
		'allowed_bucket_algs 62'; do
		echo "tunable $tunable"
	done
	device=0
	while [ $device -lt 26 ]; do
		class=hdd
		[ $((device % 3)) -eq 1 ] && class=ssd
		echo "device $device osd.$device${classes:+ class $class}"
		device=$((device + 1))
	done
	printf 'type 0 osd\ntype 1 host\ntype 3 rack\ntype 10 root\n'
	device=0
	for host in $hosts; do
		echo "host host${host%:*} {"
		printf '\tid -%d\n\talg %s\n\thash 0\n' $((2 + ${host%:*})) "$algorithm"
		last=$((device + ${host#*:}))
		while [ $device -lt $last ]; do
			printf '\titem osd.%d weight %s\n' $device "$(weight $device)"
			device=$((device + 1))
		done
		echo '}'
	done
	bucket rack rack0 -20 host0 host1 host2
	bucket rack rack1 -21 host3 host4
	bucket rack rack2 -23 host5 host6 host7
	bucket root default -1 rack0 rack1 rack2
	rules
	[ -z "$classes" ] || class_rules
}

# bucket TYPE NAME ID ITEM...; inner buckets of equal weight where the algorithm demands it.
bucket() {
	printf '%s %s {\n\tid %s\n\talg %s\n\thash 0\n' "$1" "$2" "$3" "$algorithm"
	shift 3
	for item; do echo "	item $item${equal:+ weight 8.0}"; done
	echo '}'
}

# rule ID TYPE STEP...
rule() {
	printf 'rule rule%s {\n\tid %s\n\ttype %s\n\tmin_size 1\n\tmax_size 10\n' "$1" "$1" "$2"
	shift 2
	for step; do echo "	step $step"; done
	echo '}'
}

# Rule numbers have gaps.
rules() {
	rule 0 replicated 'take default' 'choose firstn 0 type osd' emit
	rule 1 replicated 'take default' 'chooseleaf firstn 0 type host' emit
	rule 2 erasure 'take default' 'choose indep 0 type osd' emit
	rule 3 erasure 'set_chooseleaf_tries 5' 'set_choose_tries 100' 'take default' 'chooseleaf indep 0 type host' emit
	rule 5 replicated 'take default' 'choose firstn 2 type rack' 'chooseleaf firstn 2 type host' emit
	rule 6 erasure 'take default' 'choose indep 2 type rack' 'choose indep 2 type osd' emit
	rule 7 replicated 'take rack0' 'chooseleaf firstn 1 type host' emit \
		'take default' 'chooseleaf firstn -1 type rack' emit
	rule 8 erasure 'take osd.25' emit 'take host3' 'choose indep 0 type osd' emit
	rule 11 replicated 'set_choose_local_tries 2' 'set_choose_local_fallback_tries 5' 'set_chooseleaf_vary_r 2' \
		'set_chooseleaf_stable 0' 'set_choose_tries 19' 'take default' 'chooseleaf firstn 0 type rack' emit
	rule 12 replicated 'take default' 'choose firstn -1 type host' 'choose firstn 1 type osd' emit
}

class_rules() {
	rule 14 replicated 'take default class hdd' 'chooseleaf firstn 0 type host' emit
	rule 15 erasure 'take default class ssd' 'chooseleaf indep 0 type host' emit
	rule 17 replicated 'take default class ssd' 'chooseleaf firstn 1 type rack' emit \
		'take default class hdd' 'chooseleaf firstn -1 type rack' emit
}

# choose_args: set 0 is crushtool's; racks have a set for each position, hosts other ids.
choose_args() {
	cat <<-'END'
		choose_args 0 {
		  { bucket_id -1 weight_set [ [ 1.0 2.0 3.5 ] [ 9.0 0.25 0.0 ] [ 0.5 0.5 8.0 ] ] }
		  { bucket_id -20 weight_set [ [ 2.0 2.0 2.0 ] [ 0.00002 40000.0 1.0 ] ] ids [ -102 7 -2 ] }
		  { bucket_id -5 ids [ 105 106 107 108 109 ] }
		  { bucket_id -7 weight_set [ [ 0.0 0.0 1.0 1.0 ] ] }
		}
		choose_args 3 {
		  { bucket_id -1 weight_set [ [ 5.0 0.0 0.0 ] ] }
		}
	END
}

ask() {
	echo "\$ crushtool $*"
	crushtool "$@" | sed -n 's/^CRUSH rule \([0-9]*\) x \([0-9]*\) \[\(.*\)\]$/\1 \2 \3/p'
}

# profile NAME: crushtool's options for the tunables of a profile. Hammer maps as firefly does: what it changed is
# straw_calc_version, which matters when a straw bucket is made, and straw2.
profile() {
	set_tunables() {
		echo "--set-choose-local-tries $1 --set-choose-local-fallback-tries $2 --set-choose-total-tries $3" \
			"--set-chooseleaf-descend-once $4 --set-chooseleaf-vary-r $5 --set-chooseleaf-stable $6"
	}
	case $1 in
	argonaut) set_tunables 2 5 19 0 0 0 ;;
	bobtail) set_tunables 0 0 50 1 0 0 ;;
	firefly) set_tunables 0 0 50 1 1 0 ;;
	jewel) set_tunables 0 0 50 1 1 1 ;;
	odd) set_tunables 5 2 7 0 3 1 ;;
	esac
}

reweights='--weight 2 0.5 --weight 3 0 --weight 9 0.25 --weight 17 0.999 --weight 18 0 --weight 19 0 --weight 20 0'

for name in uniform list tree straw0 straw1 straw2 choose-args; do
	case $name in
	straw0) map straw 0 ;;
	straw1) map straw 1 ;;
	choose-args) map straw2 1 && choose_args ;;
	*) map $name 1 ;;
	esac >$name.txt
	crushtool -c $name.txt -o $name.map
	{
		echo "# $(ceph --version)"
		for profile in argonaut bobtail firefly jewel odd; do
			tunables="$(profile $profile) --enable-unsafe-tunables"
			ask -i $name.map $tunables --test --show-mappings --num-rep 4 --min-x 0 --max-x 15
			ask -i $name.map $tunables --test --show-mappings --num-rep 5 --min-x 16 --max-x 27 $reweights
		done
		ask -i $name.map --test --show-mappings --num-rep 3 --min-x 2147483631 --max-x 2147483646
		ask -i $name.map --test --show-mappings --num-rep 6 --min-x 0 --max-x 15 --pool-id 5 $reweights
	} >$name.golden
done
