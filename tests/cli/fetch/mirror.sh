# A folder as a mirror, with a file that is not the published one.
mkdir mirror
echo no >mirror/train-images-idx3-ubyte.gz
epochcast fetch mnist --dir sets --url "file://$PWD/mirror"
echo "status $?"
ls sets/mnist.part
