import type { GenericSchema } from "valibot";
import { ManifestLintSchema } from "./manifest/schema.ts";

export const schemas: Record<string, GenericSchema> = {
  "craft-manifest-lint": ManifestLintSchema,
};
