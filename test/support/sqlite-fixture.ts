import type { Plugin } from "esbuild";
import { type Bundle, bundleFixture } from "./fixture.ts";

/** The code of the other database stays out, so that a process starts fast. */
export const withoutPostgres: Plugin = {
  name: "without-postgres",
  setup: (build) => {
    build.onResolve({ filter: /\/postgres\/index\.ts$/ }, ({ path }) => ({ path, external: true }));
  },
};

/** A fixture that uses SQLite alone; `plugins` may alter the code under test on the way. */
export function bundleSqliteFixture(name: string, plugins: Plugin[] = []): Promise<Bundle> {
  return bundleFixture(`test/promises/fixtures/${name}.ts`, [withoutPostgres, ...plugins]);
}
