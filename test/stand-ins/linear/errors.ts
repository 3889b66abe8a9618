/**
 * Errors as Linear words them. `extensions.type` is what `@linear/sdk` maps to an error class
 * (its `errorMap`); the other extensions are those that replies quoted in public reports carry.
 */
import { GraphQLError } from 'graphql';

function linearError(
  message: string,
  presentable: string,
  extensions: Readonly<Record<string, unknown>>,
): GraphQLError {
  return new GraphQLError(message, {
    extensions: { ...extensions, userError: true, userPresentableMessage: presentable },
  });
}

/** `issue(id:)` and its like of what is not there: the SDK's own end-to-end test expects this text. */
export function notFound(entity: string): GraphQLError {
  return linearError(`Entity not found: ${entity}`, `Could not find referenced ${entity}.`, {
    type: 'invalid input',
    code: 'INPUT_ERROR',
    statusCode: 400,
  });
}

/** A create with the id of a record that is there. */
export function duplicate(entity: string, id: string): GraphQLError {
  const already = `Entity ${entity} with id ${id} already exists.`;
  return linearError(`conflict on insert of ${entity}`, already, {
    type: 'invalid input',
    code: 'INPUT_ERROR',
    statusCode: 400,
  });
}

/** A value that the schema allows and Linear does not. */
export function invalid(message: string): GraphQLError {
  return linearError('Argument Validation Error', message, {
    type: 'invalid input',
    code: 'INVALID_INPUT',
    statusCode: 400,
  });
}

export const unauthenticated = {
  message: 'Authentication required, not authenticated',
  extensions: {
    type: 'authentication error',
    code: 'AUTHENTICATION_ERROR',
    userError: true,
    userPresentableMessage: 'You need to authenticate to access this operation.',
  },
};

/** The SDK makes a `ForbiddenLinearError` of this type, and of a 403. */
export const forbidden = {
  message: 'Forbidden',
  extensions: {
    type: 'forbidden',
    code: 'FORBIDDEN',
    statusCode: 403,
    userError: true,
    userPresentableMessage: 'You do not have access to this.',
  },
};

/** https://linear.app/developers/rate-limiting: HTTP 400 with the code RATELIMITED. */
export const ratelimited = {
  message: 'Rate limit exceeded',
  extensions: {
    type: 'ratelimited',
    code: 'RATELIMITED',
    statusCode: 429,
    userPresentableMessage: 'Rate limit exceeded. Please try again later.',
  },
};

/** The sentence is quoted in public reports of the real service. */
export function tooComplex(complexity: number, limit: number) {
  const text = `The query is too complex. Complexity: ${complexity}. Maximum allowed complexity: ${limit}.`;
  return {
    message: 'Query too complex',
    extensions: {
      type: 'invalid input',
      code: 'INPUT_ERROR',
      userError: true,
      userPresentableMessage: text,
    },
  };
}
