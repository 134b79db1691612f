/** Stands in the bundle for what the MCP SDK imports by the name of its `_shims`; see scripts/build.mjs. */
import { InvariantError } from "../core/invariant.ts";

export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new InvariantError("this server asks its client's user nothing that would have to be validated");
  }
}
