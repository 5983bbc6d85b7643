// Models of Keras by an implementation that is not ours: TensorFlow.js, whose layers write and read the JSON of Keras 2.
//
//   npm install @tensorflow/tfjs; NODE_PATH=DIR/node_modules node tests/keras/tfjs.js OUT.d
//       writes a model for each kind of layer to OUT.d/NAME.json, and OUT.d/params.txt: name, trainable parameters
//   ... node tests/keras/tfjs.js --count FILE.json...
//       reads files, and prints the trainable and all parameters of each
const fs = require('fs');
const path = require('path');
console.warn = () => {};
const tf = require('@tensorflow/tfjs');
const L = tf.layers;

const models = {
  cnn: () => tf.sequential({layers: [
    L.conv2d({inputShape: [32, 32, 3], filters: 16, kernelSize: 3, padding: 'same', activation: 'relu'}),
    L.batchNormalization(), L.maxPooling2d({poolSize: 2}), L.dropout({rate: 0.25}),
    L.separableConv2d({filters: 24, kernelSize: 3, activation: 'relu'}),
    L.depthwiseConv2d({kernelSize: 3, depthMultiplier: 2, strides: 2, padding: 'same'}), L.leakyReLU({alpha: 0.2}),
    L.prelu({sharedAxes: [1, 2]}), L.layerNormalization({axis: -1}), L.averagePooling2d({poolSize: 2, padding: 'same'}),
    L.flatten(), L.dense({units: 10, activation: 'softmax'})]}),
  autoencoder: () => tf.sequential({layers: [
    L.conv2d({inputShape: [28, 28, 1], filters: 8, kernelSize: 3, strides: 2, padding: 'same', activation: 'elu'}),
    L.zeroPadding2d({padding: [[1, 0], [0, 1]]}), L.cropping2D({cropping: [[1, 0], [0, 1]]}),
    L.conv2dTranspose({filters: 8, kernelSize: 3, strides: 2, padding: 'same', activation: 'selu'}),
    L.upSampling2d({size: [2, 2]}), L.conv2d({filters: 1, kernelSize: 5, padding: 'same', activation: 'sigmoid'})]}),
  text: () => tf.sequential({layers: [
    L.embedding({inputDim: 1000, outputDim: 32, inputLength: 50}), L.spatialDropout1d ? L.spatialDropout1d({rate: 0.1})
                                                                                     : L.dropout({rate: 0.1}),
    L.conv1d({filters: 48, kernelSize: 5, padding: 'causal', activation: 'relu'}), L.maxPooling1d({poolSize: 2}),
    L.bidirectional({layer: L.lstm({units: 20, returnSequences: true}), mergeMode: 'concat'}),
    L.gru({units: 12, returnSequences: true, resetAfter: false}), L.timeDistributed({layer: L.dense({units: 7})}),
    L.simpleRNN({units: 5}), L.dense({units: 1, activation: 'sigmoid'})]}),
  branches: () => {
    const a = tf.input({shape: [16], name: 'left'});
    const b = tf.input({shape: [16], name: 'right'});
    const both = L.dense({units: 8, activation: 'tanh', name: 'both'}); // called twice
    const x = both.apply(a), y = both.apply(b);
    const all = L.concatenate().apply([L.add().apply([x, y]), L.multiply().apply([x, y]), L.maximum().apply([x, y]),
                                       L.average().apply([x, y])]);
    const z = L.reshape({targetShape: [4, 8]}).apply(all);
    const w = L.permute({dims: [2, 1]}).apply(z);
    const v = L.globalAveragePooling1d().apply(w);
    const one = L.dense({units: 3, activation: 'softmax', name: 'one'}).apply(v);
    const two = L.dense({units: 1, useBias: false, name: 'two'}).apply(L.dot({axes: -1}).apply([x, y]));
    return tf.model({inputs: [a, b], outputs: [one, two]});
  },
  nested: () => {
    const encoder = tf.sequential({name: 'encoder', layers: [
      L.conv2d({inputShape: [24, 24, 3], filters: 6, kernelSize: 5, activation: 'relu', name: 'inner'}),
      L.globalMaxPooling2d({})]});
    const a = tf.input({shape: [24, 24, 3]});
    const b = tf.input({shape: [24, 24, 3]});
    const x = L.concatenate().apply([encoder.apply(a), encoder.apply(b)]);
    return tf.model({inputs: [a, b], outputs: L.dense({units: 2}).apply(x)});
  },
  frozen: () => {
    const m = tf.sequential({layers: [
      L.dense({inputShape: [20], units: 30, activation: 'relu', trainable: false}), L.repeatVector({n: 3}),
      L.lstm({units: 4}), L.dense({units: 2})]});
    return m;
  },
};

function count(weights) {
  return weights.reduce((n, w) => n + w.shape.reduce((a, b) => a * b, 1), 0);
}

async function main(args) {
  if (args[0] === '--count') {
    for (const file of args.slice(1)) {
      const m = await tf.models.modelFromJSON(JSON.parse(fs.readFileSync(file, 'utf8')));
      console.log(path.basename(file), count(m.trainableWeights), m.countParams());
      m.dispose();
    }
    return;
  }
  const lines = [];
  fs.mkdirSync(args[0], {recursive: true});
  for (const name of Object.keys(models)) {
    const m = models[name]();
    fs.writeFileSync(path.join(args[0], name + '.json'), JSON.stringify(m.toJSON(null, false)) + '\n');
    lines.push(`${name} ${count(m.trainableWeights)}`);
  }
  fs.writeFileSync(path.join(args[0], 'params.txt'), lines.join('\n') + '\n');
}

main(process.argv.slice(2));
