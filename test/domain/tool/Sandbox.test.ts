import { assert, describe, it } from "@effect/vitest"
import * as Sandbox from "../../../src/domain/tool/Sandbox.ts"

const confinement: Sandbox.Confinement = {
  mode: "workspace-write",
  network: false,
  roots: ["/w"],
  fixed: [],
  readOnly: ["/w/.git"],
  missing: ["/w/.dacapo"],
  hidden: ["/home/me/.config/dacapo"],
  temporary: "/tmp/dacapo-tmp-1"
}

describe("what is guarded at a root", () => {
  it("is what is protected there, and what is missing and would be obeyed", () => {
    const { missing, readOnly } = Sandbox.protectedPaths("/w", [".git", "src", ".env.local", "AGENTS.md", ".github", ".Husky", "package.json", "id_rsa"])
    assert.deepStrictEqual(readOnly, ["/w/.git", "/w/.env.local", "/w/AGENTS.md", "/w/.github", "/w/.Husky", "/w/id_rsa"])
    assert.include(missing, "/w/.dacapo")
    assert.notInclude(missing, "/w/.git")
    assert.notInclude(missing, "/w/.husky")
  })

  it("is the same wherever the root lies, and whatever its folders are called", () =>
    assert.deepStrictEqual(Sandbox.protectedPaths("/etc/app", [".git", "AGENTS.md", "bin", "conf", "etc", "lib"]).readOnly, ["/etc/app/.git", "/etc/app/AGENTS.md"]))

  it("are repositories further down, too", () =>
    assert.deepStrictEqual(Sandbox.protectedPaths("/w", ["a"], ["a/b/.git"]).readOnly, ["/w/a/b/.git"]))

  it("are the folders on the way to them, which keep their place", () =>
    assert.deepStrictEqual(Sandbox.protectedPaths("/w", ["a", "c"], ["a/b/.git", "a/d/.git"]).fixed, ["/w/a", "/w/a/b", "/w/a/d"]))
})

describe("bubblewrap", () => {
  const words = (changes: Partial<Sandbox.Confinement>) => Sandbox.bubblewrap({ ...confinement, ...changes }, "/w/src").join(" ")

  it("leaves everything but the roots and a /tmp of its own as it is, and reaches nothing", () =>
    assert.strictEqual(words({}), "--unshare-all --die-with-parent --new-session --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --tmpfs /home/me/.config/dacapo " +
      "--bind /tmp/dacapo-tmp-1 /tmp --bind /w /w --ro-bind /w/.git /w/.git --tmpfs /w/.dacapo --remount-ro /w/.dacapo --setenv TMPDIR /tmp --chdir /w/src --"))

  it("mounts folders that keep their place before what is read-only in them", () => {
    const fixed = words({ fixed: ["/w/a", "/w/a/b"], readOnly: ["/w/a/b/.git"] })
    assert.include(fixed, "--bind /w /w --bind /w/a /w/a --bind /w/a/b /w/a/b --ro-bind /w/a/b/.git /w/a/b/.git")
    assert.include(Sandbox.seatbelt({ ...confinement, fixed: ["/w/a"] }), "(deny file-write-unlink (literal \"/w/a\"))")
  })

  it("changes nothing where it may only read", () => {
    assert.notInclude(words({ mode: "read-only" }), "--bind /")
    assert.include(words({ mode: "read-only" }), "--ro-bind /w /w")
  })

  it("hides a folder around a root, but not the root", () =>
    assert.include(words({ roots: ["/sessions/a"], hidden: ["/sessions", "/secrets"] }), "--tmpfs /sessions --tmpfs /secrets --bind /tmp/dacapo-tmp-1 /tmp --bind /sessions/a /sessions/a"))

  it("shares the network when that is allowed", () => assert.include(words({ network: true }), "--unshare-all --share-net"))
})

describe("a Seatbelt profile", () => {
  it("hides a folder around a root before it allows the root, and any other after it", () => {
    const profile = Sandbox.seatbelt({ ...confinement, roots: ["/sessions/a"], hidden: ["/sessions", "/secrets"] })
    const rules = ["(deny file-read*\n  (subpath \"/sessions\")\n)", "(allow file-read*\n  (subpath \"/sessions/a\")\n)", "(deny file-write*)", "(deny file-read* file-write*\n  (subpath \"/secrets\")\n)"]
    const places = rules.map((rule) => profile.indexOf(rule))
    assert.notInclude(places, -1)
    assert.deepStrictEqual(places, places.toSorted((a, b) => a - b))
  })

  it("says the same in its own words, the protected after what holds them", () =>
    assert.strictEqual(Sandbox.seatbelt(confinement), `(version 1)
(allow default)
(deny network*)
(deny file-write*)
(allow file-write*
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/stdout")
  (literal "/dev/stderr")
  (literal "/dev/tty")
)
(allow file-write*
  (subpath "/w")
  (subpath "/tmp/dacapo-tmp-1")
)
(deny file-write*
  (subpath "/w/.git")
  (subpath "/w/.dacapo")
)
(deny file-read* file-write*
  (subpath "/home/me/.config/dacapo")
)`))

  it("lets no name of a folder end its own string", () => {
    const profile = Sandbox.seatbelt({ ...confinement, mode: "read-only", network: true, hidden: [String.raw`/a"b\c`] })
    assert.include(profile, String.raw`(subpath "/a\"b\\c")`)
    assert.notInclude(profile, "network")
    assert.notInclude(profile, "\"/w\"")
  })
})
