import { expect, test } from "vitest";
import { nameOfPath, placeOfPath } from "../../../../src/surfaces/page/kit/name-of-path.ts";

test.each([
  ["/work/shop", "shop"],
  ["/work/shop/", "shop"],
  ["/", "/"],
  ["/work/a\u202eb", "a\\u{202e}b"],
])("%j is called %s", (path, name) => expect(nameOfPath(path)).toBe(name));

test.each([
  ["/work/shop", 20, "/work"],
  ["/shop", 20, "/"],
  ["/home/anna/work/customers/shop", 30, "/home/anna/work/customers"],
  ["/home/anna/work/customers/shop", 24, "…/anna/work/customers"],
  ["/home/anna/work/customers/shop", 12, "…/customers"],
  ["/home/anna/a-very-long-directory-name/shop", 12, "…/a-very-long-directory-name"],
])("%s is in, with at most %i characters: %s", (path, most, place) => expect(placeOfPath(path, most)).toBe(place));
