/**
 * What `import fc from "fast-check"` gives in tests (vitest.config.ts). In CI every property starts from one seed, so that
 * two runs of a commit say the same; by hand each run looks somewhere new. A counterexample names its seed either way.
 */
import fc from "../../node_modules/fast-check/lib/fast-check.js";

if (process.env["CI"]) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_201 });

export * from "../../node_modules/fast-check/lib/fast-check.js";
export default fc;
