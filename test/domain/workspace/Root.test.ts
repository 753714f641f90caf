import { assert, describe, it } from "@effect/vitest"
import * as Root from "../../../src/domain/workspace/Root.ts"

describe("a path", () => {
  for (const path of ["", "a\nb", "a\u0000", "\u009bx", "~", "~/x", "~user/x", "file:///etc/passwd", "https://x/y", "x".repeat(5000)]) {
    it(`can't be ${JSON.stringify(path.slice(0, 20))}`, () => assert.isDefined(Root.refusal(path)))
  }
  for (const path of ["a", "./a", "~backup", "a/~/b", "..%2fx", "a\\b", "grün/日本", "c:x", "a b", "-rf"]) {
    it(`can be ${path}`, () => assert.isUndefined(Root.refusal(path)))
  }

  it("lies in a root by names, not by letters", () => {
    assert.isTrue(Root.contains("/a/b", "/a/b"))
    assert.isTrue(Root.contains("/a/b", "/a/b/c"))
    assert.isTrue(Root.contains("/", "/a"))
    assert.isFalse(Root.contains("/a/b", "/a/bc"))
    assert.isFalse(Root.contains("/a/b", "/a"))
  })

  for (const path of [".git", ".GIT/config", "a/.git/b", ".git./x", ".git /x", ".git...", ".g\u200cit/x", ".git::$INDEX_ALLOCATION/x", "GIT~1/x", "\u200b.git"]) {
    it(`is a repository's own: ${JSON.stringify(path)}`, () => assert.isTrue(Root.isProtected(path)))
  }
  for (const path of [".gitignore", ".github/x", "git/x", "a.git/x", ".git-hooks/x", "src/gitx"]) {
    it(`is no repository's own: ${path}`, () => assert.isFalse(Root.isProtected(path)))
  }
})
