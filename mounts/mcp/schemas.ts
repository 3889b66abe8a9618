/** What a server says, as far as it is looked at; what is not named is kept where it is shown whole. */
import { z } from 'zod';

const text = z.string().optional().catch(undefined);

/** A tool. Of what a server says of it besides, nothing is believed but the hints, where the deployer trusts them. */
export const toolSchema = z.looseObject({
  name: z.string().min(1),
  title: text,
  description: text,
  // Some say nothing of it, or nothing that holds: what they take is an object all the same.
  inputSchema: z
    .record(z.string(), z.unknown())
    .catch({})
    .transform((schema) => ({ ...schema, type: 'object' as const })),
  annotations: z
    .looseObject({ readOnlyHint: z.boolean(), destructiveHint: z.boolean() })
    .partial()
    .optional()
    .catch(undefined),
});
export type Tool = z.infer<typeof toolSchema>;

export const resourceSchema = z.looseObject({
  uri: z.string().min(1),
  name: z.string().catch(''),
  title: text,
  description: text,
  mimeType: text,
  size: z.number().min(0).optional().catch(undefined),
  annotations: z.looseObject({ lastModified: text }).optional().catch(undefined),
});
export type Resource = z.infer<typeof resourceSchema>;

export const templateSchema = z.looseObject({
  uriTemplate: z.string().min(1),
  name: z.string().catch(''),
  title: text,
  description: text,
  mimeType: text,
});

export const promptSchema = z.looseObject({
  name: z.string().min(1),
  title: text,
  description: text,
  arguments: z
    .array(z.looseObject({ name: z.string(), description: text, required: z.boolean().optional() }))
    .optional()
    .catch(undefined),
});
export type Prompt = z.infer<typeof promptSchema>;

/** What a server is, as it says itself. */
export const serverSchema = z.looseObject({
  name: text,
  version: text,
  protocol: text,
  instructions: text,
});

const contents = z.looseObject({
  uri: z.string().catch(''),
  mimeType: text,
  text,
  blob: text,
});

export const contentsSchema = z.object({ contents: z.array(contents) });
export type Contents = z.infer<typeof contents>;

/** One part of an answer; a kind that is not known is shown as it is. */
export const partSchema = z.looseObject({
  type: z.string(),
  text,
  data: text,
  mimeType: text,
  uri: text,
  resource: contents.optional().catch(undefined),
});
export type Part = z.infer<typeof partSchema>;

export const answerSchema = z.looseObject({
  content: z.array(partSchema).catch([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

export const messagesSchema = z.looseObject({
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.union([partSchema.transform((one) => [one]), z.array(partSchema)]),
    }),
  ),
});
