/** A model's answer as it comes in, part by part: what is there of it is whole at any moment. */
import type {
  AssistantContent,
  LanguageModelUsage,
  ProviderMetadata,
  TextStreamPart,
  ToolSet,
} from 'ai';
import type { ToolCall } from './call.ts';

/** What the answer cost, as the log has it. */
export interface TokenUsage {
  inputTokens?: number;
  outputTokens?: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
}

type Part = Exclude<AssistantContent, string>[number];
type StreamPart = TextStreamPart<ToolSet>;
/** A text or a reasoning that is still being written. */
type Prose = Extract<Part, { type: 'text' | 'reasoning' }>;

/** Collects the parts of one answer. */
export class Answer {
  readonly parts: Part[] = [];
  usage: TokenUsage = {};
  finishReason = 'interrupted';
  error: unknown;
  readonly #open = new Map<string, Prose>();

  /** Takes a part of the stream; a call of a tool is given back, since its work begins now. */
  take(part: StreamPart): ToolCall | null {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#begin(part.type === 'text-start' ? 'text' : 'reasoning', part.id);
        break;
      case 'text-delta':
      case 'reasoning-delta':
        this.#prose(part.type === 'text-delta' ? 'text' : 'reasoning', part.id).text += part.text;
        break;
      case 'text-end':
      case 'reasoning-end':
        this.#end(part.type === 'text-end' ? 'text' : 'reasoning', part.id, part.providerMetadata);
        break;
      case 'tool-call':
        return this.#call(part);
      case 'finish-step':
        this.usage = usageOf(part.usage);
        this.finishReason = part.finishReason;
        break;
      case 'error':
        this.error ??= part.error;
        break;
      default:
        break;
    }
    return null;
  }

  /** What is kept: without texts that stayed empty. */
  content(): Part[] {
    return this.parts.filter(
      (part) => part.type !== 'text' || part.text !== '' || part.providerOptions !== undefined,
    );
  }

  text(): string {
    return this.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  }

  #begin(type: Prose['type'], id: string): Prose {
    const part: Prose = { type, text: '' };
    this.#open.set(`${type} ${id}`, part);
    this.parts.push(part);
    return part;
  }

  #prose(type: Prose['type'], id: string): Prose {
    return this.#open.get(`${type} ${id}`) ?? this.#begin(type, id);
  }

  #end(type: Prose['type'], id: string, metadata: ProviderMetadata | undefined): void {
    const part = this.#prose(type, id);
    if (metadata !== undefined) part.providerOptions = metadata;
    this.#open.delete(`${type} ${id}`);
  }

  #call(part: Extract<StreamPart, { type: 'tool-call' }>): ToolCall {
    const { toolCallId: id, toolName: name, input, providerMetadata } = part;
    const malformed = part.invalid === true && typeof input === 'string' ? input : undefined;
    this.parts.push({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      // Servers refuse a history in which arguments are no object.
      input: malformed === undefined ? input : {},
      ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata }),
    });
    return { id, name, input, ...(malformed === undefined ? {} : { malformed }) };
  }
}

function usageOf(usage: LanguageModelUsage): TokenUsage {
  const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails } = usage;
  const cached = inputTokenDetails?.cacheReadTokens;
  const reasoning = outputTokenDetails?.reasoningTokens;
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}
