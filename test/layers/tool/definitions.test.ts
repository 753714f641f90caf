/** What list_definitions tells of files in every language that it knows. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { languages } from "../../../src/domain/definitions/Languages.ts"
import * as Message from "../../../src/domain/message/Message.ts"
import { inMemory } from "./world.ts"

/** A source by its file's name; lines that are to be listed end in the depth that they have, as `//0` or `#0`. */
const sources: Readonly<Record<string, string>> = {
  "a.js": `
    const plain = 1
    export class Cart { //0
      total() { //1
        function inner() {}
        return 1
      }
    }
    function* numbers() {} //0
    export const add = (a, b) => a + b //0`,
  "a.ts": `
    export interface Shape { area(): number } //0
    type Id = string //0
    export abstract class Base<T> { //0
      abstract name(): string //1
      async run(): Promise<void> {} //1
    }
    export enum Color { Red } //0
    namespace inside { //0
      export function deep(a: string): void {} //1
    }
    export const twice = (n: number): number => n * 2 //0`,
  "a.tsx": `
    export const Page = () => <main /> //0
    function App(): JSX.Element { return <Page /> } //0`,
  "a.py": `
class Cart: #0
    @property
    def total(self): #1
        def inner(): pass
        return 1

async def load(): #0
    pass`,
  "a.go": `
package main
type Cart struct { n int } //0
func (c *Cart) Total() int { return 1 } //0
func main() {} //0`,
  "a.rs": `
    pub struct Cart { n: u8 } //0
    impl Cart { //0
      pub fn total(&self) -> u8 { 1 } //1
    }
    trait Shape { //0
      fn area(&self) -> f64; //1
    }
    mod inner { //0
      fn deep() {} //1
    }
    macro_rules! say { () => {} } //0`,
  "A.java": `
    public class Cart { //0
      private int n;
      public Cart() {} //1
      @Override
      public String toString() { return ""; } //1
      interface Inner { void act(); } //1
    }
    record Point(int x, int y) {} //0`,
  "a.c": `
    struct point { int x; }; //0
    typedef struct { int y; } other; //0
    static char *name(void) { return 0; } //0
    int main(int argc, char **argv) { return 0; } //0`,
  "a.cpp": `
    namespace shop { //0
    class Cart { //1
     public:
      int total() const; //2
    };
    template <typename T> T twice(T a) { return a + a; } //1
    }
    int shop::Cart::total() const { return 1; } //0`,
  "a.cs": `
    namespace Shop { //0
      public class Cart { //1
        public int Total { get; set; } //2
        public Cart() {} //2
        void Add(int n) {} //2
      }
      interface IShape { double Area(); } //1
    }`,
  "a.rb": `
module Shop #0
  class Cart #1
    def total #2
      1
    end
    def self.make; end #2
  end
end`,
  "a.php": `<?php
    interface Shape { } //0
    class Cart { //0
      public function total(): int { return 1; } //1
    }
    function main() {} //0`,
  "a.kt": `
    data class Point(val x: Int) { //0
      fun far(): Boolean = true //1
    }
    object Single { } //0
    fun main() { } //0`,
  "a.swift": `
    struct Point { //0
      init(x: Int) {} //1
      func far() -> Bool { return true } //1
    }
    protocol Shape { //0
      func area() -> Double //1
    }`,
  "a.dart": `
    class Cart { //0
      int total() { return 1; } //1
    }
    void main() {} //0`,
  "a.sol": `
    contract Coin { //0
      event Sent(address to); //1
      function send(address to) public {} //1
    }`
}

const expected = (source: string): ReadonlyArray<string> =>
  source.split("\n").flatMap((line, i) => {
    const marked = /\s*(.*?) ?(?:\/\/|#)(\d)$/.exec(line)
    return marked === null ? [] : [`${i + 1} | ${"  ".repeat(Number(marked[2]))}${line.trim()}`]
  })

const told = (files: Readonly<Record<string, string>>, path: string) =>
  inMemory({ files }, (bench) => Effect.map(bench.call("list_definitions", { path }), ({ content, status }) => ({ status, text: Message.text(content) })))

describe("list_definitions", () => {
  it("has a source here of every language", () => {
    const endings = Object.keys(sources).map((name) => name.slice(name.indexOf(".") + 1))
    assert.deepStrictEqual(languages.filter((language) => !language.extensions.some((ending) => endings.includes(ending))).map(({ name }) => name), [])
  })

  for (const [name, source] of Object.entries(sources)) {
    it.effect(`finds what ${name} defines`, () =>
      Effect.map(told({ [name]: source }, name), ({ text }) => assert.deepStrictEqual(text.split("\n"), [name, ...expected(source)])))
  }

  it.effect("lists the source files of a folder, and not those further down", () =>
    Effect.map(told({ "src/a.ts": "class A {}", "src/b.py": "x = 1", "src/notes.md": "# No", "src/deep/c.ts": "class C {}" }, "src"), ({ text }) =>
      assert.strictEqual(text, "src/a.ts\n1 | class A {}\n\nsrc/b.py: no definitions found.")))

  it.effect("finds what it can in a file that is broken in its middle", () =>
    Effect.map(told({ "a.ts": "class A { m() {} }\nconst = = )\nfunction b() {}\n" }, "a.ts"), ({ text }) => {
      assert.include(text, "1 | class A")
      assert.include(text, "3 | function b() {}")
    }))

  it.effect("says what it can't do", () =>
    Effect.gen(function*() {
      assert.include((yield* told({ "a.md": "# Title" }, "a.md")).text, "unsupported language")
      assert.include((yield* told({ "a/x.md": "" }, "a")).text, "No file in a is in a supported language")
      assert.strictEqual((yield* told({ "a.ts": "" }, "none.ts")).status, "failed")
    }))
})
