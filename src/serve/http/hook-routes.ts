/** Where services send what happened. Who may is told by their signature alone. */
import { HttpRefusal, Share } from '../../doors/http/limits.ts';
import { isDeliveryRefusal } from '../../mount/contract/webhook.ts';
import type { Service } from '../service.ts';
import type { ServeApp } from './identity.ts';

/** Where they are; what comes there may be longer than anything else. */
export const HOOKS = '/hooks/';
/** Of a body. Bytes. */
export const HOOK_BYTES = 5 * 1024 * 1024;
/** Bodies that are read at once: nobody has said yet who they are. */
const AT_ONCE = 16;

export function hookRoutes(app: ServeApp, { hooks }: Service): void {
  const bodies = new Share(
    AT_ONCE,
    () => 1,
    (most) => new HttpRefusal(429, `${most} deliveries are being read: send it again`),
  );
  app.post(`${HOOKS}:name`, async (c) => {
    const release = bodies.take('');
    try {
      const body = new Uint8Array(await c.req.arrayBuffer());
      const header = (name: string): string | null => c.req.header(name) ?? null;
      const received = hooks.receive(c.req.param('name'), { header, body });
      return c.json({ received }, received === 'taken' ? 202 : 200);
    } catch (error) {
      if (!isDeliveryRefusal(error)) throw error;
      throw new HttpRefusal(error.kind === 'malformed' ? 400 : 401, error.message);
    } finally {
      release();
    }
  });
}
