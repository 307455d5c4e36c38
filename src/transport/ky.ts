// Imported by name, because a default import of ky becomes an object with a member `default` in the CommonJS form.
export { default as ky } from 'ky';
