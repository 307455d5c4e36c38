// By name, because a default import of one CommonJS file from another would have to say `.default` twice.
export { default as ky } from 'ky';
