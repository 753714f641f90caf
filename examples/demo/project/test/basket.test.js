import assert from "node:assert/strict"
import { test } from "node:test"
import { total } from "../src/basket.js"

test("sums its lines", () => {
  assert.equal(total([{ price: 250, quantity: 4 }, { price: 99, quantity: 1 }], 0), 1_099)
})

test("takes the discount before tax", () => {
  assert.equal(total([{ price: 9_000, quantity: 1 }], 19), 10_710)
})

test("gives the discount from the threshold on", () => {
  assert.equal(total([{ price: 5_000, quantity: 2 }], 0), 9_500)
})
