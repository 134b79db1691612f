import { expect, test } from "vitest";
import { runHook } from "../../../src/surfaces/hook/run-hook.ts";

const nothing = () => {
  throw new Error("it does not come to that");
};

async function logOf(error: unknown): Promise<string> {
  const lines: string[] = [];
  await runHook(["claude", "prompt"], {
    readPayload: async () => {
      throw error;
    },
    writeOut: nothing,
    openDeps: nothing,
    identify: nothing,
    log: (what) => lines.push(what),
  });
  return lines.join("\n");
}

test("of what others have thrown only the name and the code are written down", async () => {
  expect(await logOf(new SyntaxError("Unexpected token in {secret"))).toBe("SyntaxError");
  expect(await logOf(Object.assign(new Error("connect /secret"), { code: "ECONNREFUSED" }))).toBe("Error ECONNREFUSED");
  expect(await logOf("secret")).toBe("an unknown failure");
});
