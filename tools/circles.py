"""No import circle among the files of a crate is larger than three files.

Files that import each other in a circle can only be understood, moved and tested together. The graph is made of the paths behind `crate::`,
`super::` and `self::`, outside tests; a name that a module re-exports leads to the file that defines it, and a re-export itself is no edge.
`python3 tools/circles.py` lists the circles that are too large.
"""

import re
import sys

from shape import ROOT, tracked

LARGEST = 3
USE = re.compile(r"^[ \t]*(pub(?:\([^)]*\))?[ \t]+)?use\s+((?:crate|super|self)\b[^;]*);", re.MULTILINE)
INLINE = re.compile(r"(?<![\w:])((?:crate|self|super(?:::super)*)::\w+(?:::\w+)*)")


def code(text):
    """The text without comments, strings and what is only compiled for tests at the foot of the file."""
    text = re.sub(r"(?m)^#\[cfg\(test\)\]\n(?:pub(?:\([^)]*\))? )?mod \w+;\n", "", text)
    text = f"\n{text}".split("\n#[cfg(test)]\nmod ", 1)[0]
    text = re.sub(r"//[^\n]*", "", text)
    # Where a name may be seen is no import.
    text = re.sub(r"pub\(in [^)]*\)", "pub", text)
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)


def leaves(tree):
    """The paths of a `use` tree: `a::{b, c::d as e}` is `a::b` (named b) and `a::c::d` (named e)."""
    start = tree.find("{")
    if start < 0:
        path, _, alias = tree.partition(" as ")
        parts = [part.strip() for part in path.split("::") if part.strip()]
        if parts and parts[-1] == "self":
            parts.pop()
        return [(parts, alias.strip() or (parts[-1] if parts else ""))]
    prefix = [part.strip() for part in tree[:start].split("::") if part.strip()]
    found, depth, current = [], 0, ""
    for letter in tree[start + 1 : tree.rindex("}")]:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            found.append(current)
            current = ""
        else:
            current += letter
    found.append(current)
    return [(prefix + path, name or (prefix[-1] if prefix else "")) for part in found if part.strip() for path, name in leaves(part.strip())]


def module_of(source, path):
    """The module path of a file below `src`: `a/b.rs` is (a, b), `lib.rs` and `main.rs` are ()."""
    parts = list(path.relative_to(source).with_suffix("").parts)
    return () if parts in (["lib"], ["main"]) else tuple(parts)


class Crate:
    """The files of a crate and the imports among them."""

    def __init__(self, texts):
        """`texts` maps module paths to the text of their files."""
        self.code = {module: code(text) for module, text in texts.items()}
        self.named, self.wanted = {}, {}
        for module, text in self.code.items():
            named, wanted = {}, []
            for visible, tree in USE.findall(text):
                for parts, name in leaves(tree):
                    path = self.absolute(module, parts)
                    named[name] = path
                    if not visible:
                        wanted.append(path)
            # A `use child::Name;` without a prefix names a module of one's own.
            for visible, tree in re.findall(r"(?m)^[ \t]*(pub(?:\([^)]*\))?[ \t]+)?use\s+(?!crate\b|super\b|self\b)(\w+::[^;]*);", text):
                for parts, name in leaves(tree):
                    if parts and module + (parts[0],) in texts:
                        named[name] = module + tuple(parts)
                        if not visible:
                            wanted.append(named[name])
            wanted += [self.absolute(module, found.split("::")) for found in INLINE.findall(USE.sub("", text))]
            self.named[module], self.wanted[module] = named, wanted

    @staticmethod
    def absolute(module, parts):
        parts = list(parts)
        if parts and parts[0] == "crate":
            return tuple(parts[1:])
        here = list(module)
        while parts and parts[0] in ("self", "super"):
            if parts.pop(0) == "super" and here:
                here.pop()
        return tuple(here + parts)

    def file(self, path, depth=0):
        """The module whose file defines what a path names, as far as re-exports tell."""
        known = next((path[:n] for n in range(len(path), -1, -1) if path[:n] in self.code), ())
        rest = path[len(known) :]
        if rest and depth < 8 and rest[0] in self.named[known]:
            target = self.named[known][rest[0]]
            if target != path:
                return self.file(target + rest[1:], depth + 1)
        return known

    def edges(self):
        return {module: {self.file(path) for path in wanted} - {module} for module, wanted in self.wanted.items()}


def circles(edges):
    """Strongly connected components of more than `LARGEST` modules (Tarjan), without recursion."""
    index, low, stack, on, found, counter = {}, {}, [], set(), [], 0
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = counter
        counter += 1
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            following = next((n for n in rest if n not in index or n in on), None)
            if following is not None:
                if following in index:
                    low[node] = min(low[node], index[following])
                else:
                    index[following] = low[following] = counter
                    counter += 1
                    stack.append(following)
                    on.add(following)
                    work.append((following, iter(edges.get(following, ()))))
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                component = []
                while True:
                    member = stack.pop()
                    on.discard(member)
                    component.append(member)
                    if member == node:
                        break
                if len(component) > LARGEST:
                    found.append(sorted(component))
    return sorted(found)


def survey():
    """The large circles of each crate, by the folder of its manifest."""
    found = {}
    for manifest in tracked("crates/**/Cargo.toml", "crates/*/Cargo.toml", "bench/Cargo.toml", "bench/*/Cargo.toml"):
        source = manifest.parent / "src"
        paths = [p for p in tracked(f"{source.relative_to(ROOT)}/*.rs") if p.stem != "tests" and "tests" not in p.relative_to(source).parts]
        texts = {}
        for path in paths:
            module = module_of(source, path)
            # A crate may have a library and a program: both roots are one node.
            texts[module] = texts.get(module, "") + path.read_text(encoding="utf-8")
        name = str(manifest.parent.relative_to(ROOT)).removeprefix("crates/")
        if large := circles(Crate(texts).edges()):
            found[name] = large
    return found


def named(circle):
    return ", ".join("::".join(module) or "lib.rs" for module in circle)


def refusals(found):
    """One line for each circle, with the remedy."""
    for name, large in sorted(found.items()):
        for circle in large:
            yield f"{name}: {len(circle)} files import each other in a circle ({named(circle)}); move what they share into a file below them"


def problems():
    return list(refusals(survey()))


def main():
    wrong = problems()
    print("\n".join(wrong) or f"circles: none has more than {LARGEST} files")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
