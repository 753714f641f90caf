import assert from "node:assert/strict"
import { test } from "node:test"
import { total } from "../src/basket.js"

test("adds up its items", () => {
  assert.equal(total([{ price: 250, quantity: 4 }, { price: 99, quantity: 1 }], 0), 1_099)
})

test("applies the discount before tax", () => {
  assert.equal(total([{ price: 9_000, quantity: 1 }], 19), 10_710)
})

test("applies the discount from the threshold", () => {
  assert.equal(total([{ price: 5_000, quantity: 2 }], 0), 9_500)
})
