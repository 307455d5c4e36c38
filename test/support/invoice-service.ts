import { pendingInvoice } from './fixtures/invoices.ts';

/** A row of the service. What is not given is as in a pending invoice. */
export interface Row {
  readonly uuid: string;
  readonly external_id: string;
  readonly [member: string]: unknown;
}

/** What a service that holds these invoices may do otherwise. */
export interface Habits {
  /** The idents that its paths accept. Default: both. */
  readonly reads?: 'both' | 'uuid' | 'external_id';
  /** Answers in place of the service, by the part of the path behind `/invoices`. Undefined: the service answers. */
  readonly instead?: (path: string) => Response | undefined;
}

/** A service of invoices in the process, as a fetch, with the paths that were asked for. */
export function invoiceService(rows: readonly Row[], { reads = 'both', instead }: Habits = {}) {
  const asked: string[] = [];
  const fetch = async (url: string): Promise<Response> => {
    const { pathname, search, searchParams } = new URL(url);
    const path = decodeURIComponent(pathname.replace(/^.*\/invoices/, '')) + search;
    asked.push(path);
    const other = instead?.(path);
    if (other !== undefined) return other;
    if (search !== '' || path === '') {
      const status = searchParams.get('status');
      const listed = rows.filter((row) => status === null || invoiceOf(row)['status'] === status);
      return Response.json({ success: true, data: pageOf(listed, searchParams) });
    }
    const ident = path.slice(1);
    const found = rows.find(
      ({ uuid, external_id }) =>
        (reads !== 'external_id' && uuid.toLowerCase() === ident.toLowerCase()) ||
        (reads !== 'uuid' && external_id === ident),
    );
    if (found !== undefined) return Response.json({ success: true, data: invoiceOf(found) });
    return notFound();
  };
  return { fetch, asked };
}

/** A 404 in the service's own form. */
export function notFound(): Response {
  return Response.json({ success: false, error: { code: 'INVOICE_NOT_FOUND', message: 'No' } }, { status: 404 });
}

function invoiceOf(row: Row): Row {
  return { ...pendingInvoice, ...row };
}

function pageOf(rows: readonly Row[], query: URLSearchParams): object {
  const page = Number(query.get('page') ?? 1);
  const per_page = Number(query.get('per_page') ?? 20);
  const total_pages = Math.ceil(rows.length / per_page);
  return {
    items: rows.slice((page - 1) * per_page, page * per_page).map(invoiceOf),
    page,
    per_page,
    total_items: rows.length,
    total_pages,
    has_next: page < total_pages,
    has_prev: page > 1,
  };
}
