"""The command line of the collector, which needs no PyTorch: --help is read before it is installed."""
import argparse
import re
import shutil

# Words of conditions are those of include/epochcast/conditions.h: tools/check-conditions holds them to it.
ALSO = {"f32": "fp32"}
PRECISIONS = ("fp32", "tf32", "amp", "amp-bf16", "fp16", "bf16")
LAYOUTS = ("channels-first", "channels-last")
EXECUTIONS = ("eager", "compiled")
METHODS = ("separated", "marginal", "isolated", "justus")
LONE = ("isolated", "justus")  # methods that time a training step of the operator, with its activation
OPTIMIZERS = {  # the class in torch.optim, and what it is given beside the learning rate
    "sgd": ("SGD", {}),
    "momentum": ("SGD", {"momentum": 0.9}),
    "rmsprop": ("RMSprop", {}),
    "adam": ("Adam", {}),
    "adamw": ("AdamW", {}),
    "adagrad": ("Adagrad", {}),
    "adadelta": ("Adadelta", {}),
}
ACTIVATIONS = ("relu relu6 leaky_relu elu selu gelu silu mish sigmoid tanh hard_sigmoid hard_swish softplus "
               "softsign").split()
ITERATIONS = 100  # of a run whose times do not decide how long it is


def words_of(known):
    """Capitals count as small letters and '_' as '-', as on the command line of epochcast."""
    spelled = {word.lower().replace("_", "-"): word for word in known}

    def parse(text):
        words = [ALSO.get(word, word) for word in text.lower().replace("_", "-").split(",") if word]
        for word in words:
            if word not in spelled:
                raise argparse.ArgumentTypeError(f"\"{word}\" is none of {', '.join(known)}")
        return [spelled[word] for word in words]
    return parse


def ints(text):
    return [int(word) for word in text.split(",")]


def shard(text):
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found.group(1)) <= int(found.group(2)):
        raise argparse.ArgumentTypeError("a shard is I/N, such as 2/4")
    return int(found.group(1)), int(found.group(2))


def add_run(p):
    p.add_argument("--out", required=True, metavar="FILE.csv", help="rows are appended to it; the machine record "
                   "goes beside it")
    p.add_argument("--resume", action="store_true", help="take up a file: what it has is not measured again")
    p.add_argument("--device", choices=("cpu", "cuda"), help="default: cuda where PyTorch sees a GPU")
    p.add_argument("--threads", type=int, default=0, metavar="N", help="of the CPU library; 0: as PyTorch decides")
    p.add_argument("--clock", choices=("wall", "thread"), default="wall", help="thread: what one thread takes of a "
                   "processor, for a CPU that others load; with --threads 1")
    p.add_argument("--time-budget", type=float, default=0, metavar="S", help="seconds for the run; 0: until done")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--shard", type=shard, default=(1, 1), metavar="I/N", help="only the I-th of N parts")
    p.add_argument("--malloc", choices=("keep", "default"), help="on a CPU: keep freed memory (operators, ceilings) or "
                   "leave glibc alone (networks, grids)")
    p.add_argument("--device-key", default="", metavar="KEY", help="of the device catalogue")
    p.add_argument("--epochcast", default=shutil.which("epochcast") or "", metavar="PATH",
                   help="the command, for the machine record")


def add_common(p):
    add_run(p)
    p.add_argument("--precision", type=words_of(PRECISIONS), default=["fp32"], metavar="LIST",
                   help=", ".join(PRECISIONS))
    p.add_argument("--row-budget", type=float, default=2.0, metavar="S", help="seconds for one row (default 2)")
    p.add_argument("--limit", type=int, default=0, metavar="N", help="at most so many cases")


def add_conditions(p):
    p.add_argument("--layout", type=words_of(LAYOUTS), default=["channels-first"], metavar="LIST",
                   help=", ".join(LAYOUTS))
    p.add_argument("--execution", type=words_of(EXECUTIONS), default=["eager"], metavar="LIST",
                   help=", ".join(EXECUTIONS))
    p.add_argument("--optimizer", type=words_of(list(OPTIMIZERS)), default=["sgd"], metavar="LIST",
                   help=", ".join(OPTIMIZERS) + "; an operator is updated by one of them")


def add_iterations(p, most, help_text):
    p.add_argument("--max-iters", type=int, default=most, metavar="N", help=help_text)
    p.add_argument("--warmup-iters", type=int, default=10, metavar="N", help="calls before them that are not timed "
                   "(default 10), with --max-iters")


def add_data(p, default, help_text):
    p.add_argument("--data", default=default, metavar="SET[:PATH]", help=help_text)
    p.add_argument("--workers", type=int, default=1, metavar="N", help="processes that read images of a folder ahead; "
                   "0: images are read between the steps (default 1)")


def add_grid(p):
    add_run(p)
    p.add_argument("--family", default="cifar_cnn", metavar="NAME", help="network whose parameters are varied")
    p.add_argument("--param", action="append", default=[], metavar="NAME=N,...", help="a parameter and its values; "
                   "may be repeated; of cifar_cnn depth=2,3,4 and base_filters=32,64")
    p.add_argument("--batch", type=ints, default=[32, 64, 128], metavar="LIST")
    p.add_argument("--optimizer", choices=list(OPTIMIZERS), default="adam", metavar="NAME")
    p.add_argument("--epochs", type=int, default=3, metavar="N", help="that each configuration is trained for")
    add_data(p, "synthetic", "cifar10:FOLDER (binary or Python version), imagefolder:FOLDER (a folder of JPEG files for "
             "each class, maybe below train and val), or synthetic images of the size of CIFAR-10's")
    p.add_argument("--samples", type=int, default=0, metavar="N", help="training samples, at most; 0: all")
    add_iterations(p, 0, "time so many steps in place of whole epochs")


def make_parser(description):
    parser = argparse.ArgumentParser(prog="collect", description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = parser.add_subparsers(dest="command", required=True)
    p = sub.add_parser("layers", help="operators by the texts of cases")
    add_common(p)
    add_conditions(p)
    p.add_argument("--cases", required=True, metavar="FILE", help="one case per line; - is standard input")
    add_iterations(p, 0, "time so many calls of each row, in place of --row-budget")
    p.add_argument("--method", type=words_of(METHODS), default=[], metavar="LIST", help=", ".join(METHODS) +
                   " (default separated; with --activation justus)")
    p.add_argument("--activation", type=words_of(("none",) + tuple(ACTIVATIONS)), default=[], metavar="LIST",
                   help="behind the operator in isolated and justus: none, " + ", ".join(ACTIVATIONS))
    p.add_argument("--conditions", choices=("each", "draw"), default="each",
                   help="every combination of method, precision, layout and execution for each case, or one drawn")
    p = sub.add_parser("networks", help="training steps of networks")
    add_common(p)
    add_conditions(p)
    p.add_argument("--networks", type=lambda t: re.split(r",(?![^,:]*=)", t), default=[], metavar="LIST",
                   help="names of the zoo, with parameters: resnet18,cifar_cnn:depth=2,base_filters=64")
    p.add_argument("--jobs", default="", metavar="FILE", help="a job per line instead: resnet18 batch=32 size=224 "
                   "precision=amp layout=channels-last optimizer=adam execution=compiled; - is standard input")
    p.add_argument("--batch", type=ints, default=[32], metavar="LIST")
    p.add_argument("--size", type=ints, default=[0], metavar="LIST", help="image side or tokens; 0: the network's own")
    p.add_argument("--phases", type=lambda t: t.split(","), default=[], metavar="LIST", help="some of step, "
                   "forward_backward, forward, loss, update, host_to_device; without it all")
    add_data(p, "", "train on these images in place of one random batch again and again: synthetic, cifar10:FOLDER "
             "(binary or Python version), imagefolder:FOLDER (a folder of JPEG files for each class, maybe below train); "
             "steps only, with --max-iters; each needs an --out of its own")
    p.add_argument("--per-iteration", default="", metavar="FILE.csv", help="a table with a row for each iteration; steps "
                   "only, with --max-iters")
    p.add_argument("--env", default="local", metavar="NAME", help="of this machine in that table (default local)")
    p.add_argument("--trace", default="", metavar="FOLDER", help="profile a few steps more of each job, for epochcast "
                   "trace: a file each")
    add_iterations(p, 0, "time so many iterations of each row, in place of --row-budget (default 100 with --data, "
                   "--per-iteration and torchrun)")
    add_grid(sub.add_parser("grid", help="configurations of a family, trained: the table of epochcast measure grid"))
    p = sub.add_parser("ceilings", help="products, copies, launches; all-reduce under torchrun")
    add_common(p)
    add_iterations(p, 0, "time so many calls of each row, in place of --row-budget (default 100 under torchrun)")
    return parser
