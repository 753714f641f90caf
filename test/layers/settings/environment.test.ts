import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { userInfo } from "node:os"
import * as EnvironmentLive from "../../../src/layers/settings/EnvironmentLive.ts"
import { version } from "../../../src/layers/settings/version.ts"

describe("the data folders", () => {
  it("is under the XDG folders, or their defaults in the home folder", () => {
    expect(EnvironmentLive.folders({ XDG_DATA_HOME: "/data", XDG_STATE_HOME: "relative/is/ignored" }, "/home/ada")).toEqual({
      home: "/home/ada",
      config: "/home/ada/.config/dacapo",
      data: "/data/dacapo",
      state: "/home/ada/.local/state/dacapo",
      cache: "/home/ada/.cache/dacapo"
    })
  })

  it("is never in the current folder: an empty or relative HOME does not count", () => {
    expect(["", "home/ada", "/home/ada"].map(EnvironmentLive.home)).toEqual([userInfo().homedir, userInfo().homedir, "/home/ada"])
  })

  it("is all under DACAPO_HOME where that is set", () => {
    expect(EnvironmentLive.folders({ DACAPO_HOME: "/kept", XDG_DATA_HOME: "/data" }, "/home/ada")).toEqual({
      home: "/home/ada",
      config: "/kept",
      data: "/kept/data",
      state: "/kept/state",
      cache: "/kept/cache"
    })
  })
})

it("names the version of package.json", () => {
  const { version: published } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"))
  expect(version).toBe(published)
})
