import type { GenericSchema } from "valibot";

export const schemas: Record<string, GenericSchema> = {};
