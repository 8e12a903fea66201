# Takes a job's script, starts it in the background and prints a number for it, as a cluster's submit command does.
mkdir -p build/jobs
nohup bash "$1" > "build/jobs/$(basename "$1").log" 2>&1 &
echo $!
