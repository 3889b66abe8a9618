/** A refusal that repeats the credential it was asked with, in the shapes in which services refuse. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a server may make of a credential: as it came, alone, in Base64, and in a URL. */
export function formsOfCredential({ headers }: Pick<IncomingMessage, 'headers'>): string[] {
  const whole = headers.authorization ?? '';
  const token = whole.replace(/^\w+ +/, '');
  return [
    whole,
    token,
    Buffer.from(token).toString('base64'),
    Buffer.from(`user:${token}`).toString('base64'),
    encodeURIComponent(token),
  ];
}

export function echoed(request: IncomingMessage, response: ServerResponse, status: number): void {
  const said = `no: ${formsOfCredential(request).join(' and ')}`;
  const body = {
    message: said,
    error: { message: said, type: 'invalid_request_error', param: null, code: null },
    errors: [
      {
        message: said,
        extensions: { type: 'invalid input', code: 'INPUT_ERROR', userPresentableMessage: said },
      },
    ],
    object: 'error',
    status,
    code: status === 401 ? 'unauthorized' : 'validation_error',
  };
  const token = (request.headers.authorization ?? '').replace(/^\w+ +/, '');
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      etag: `"${token}"`,
      'x-echo': token,
    })
    .end(JSON.stringify(body));
}
