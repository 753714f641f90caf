import { describe, expect, it } from "@effect/vitest"
import * as DroppedImages from "../../../src/domain/message/DroppedImages.ts"

describe("the text that a terminal types for a dropped image", () => {
  it.each([
    ["/home/me/shot.png", ["/home/me/shot.png"]],
    ["/home/me/shot.PNG \n", ["/home/me/shot.PNG"]],
    ["~/Desktop/a.jpeg", ["~/Desktop/a.jpeg"]],
    ["'/home/me/my shot.png'", ["/home/me/my shot.png"]],
    ["\"/home/me/my shot.png\"", ["/home/me/my shot.png"]],
    ["/home/me/my\\ shot\\(1\\).webp", ["/home/me/my shot(1).webp"]],
    ["/home/me/my shot.gif", ["/home/me/my shot.gif"]],
    ["file:///home/me/my%20shot.png", ["/home/me/my shot.png"]],
    ["file://localhost/a.png", ["/a.png"]],
    ["/a.png '/b c.jpg'\n/d.gif", ["/a.png", "/b c.jpg", "/d.gif"]]
  ])("names a picture: %j", (text, paths) => expect(DroppedImages.imagePaths(text)).toEqual(paths))

  it.each(["", "shot.png", "look at /a.png", "/a.txt", "/a.png /b.txt", "/etc/hosts", "https://example.com/a.png", "'/a.png", "/one\n/two.png", "file:///%E0%A4%A.png"])(
    "is text as any other: %j",
    (text) => expect(DroppedImages.imagePaths(text)).toEqual([])
  )
})
