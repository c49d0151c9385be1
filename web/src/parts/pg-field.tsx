/** A field for a PG's id. */
import { useEffect, useState } from 'preact/hooks';
import { parsePg } from './pg-id.ts';
import './pg-field.css';

/** A field with a button; `onPg` is called with the PG that was typed. */
export function PgField({
  label,
  button,
  value = '',
  onPg,
}: {
  readonly label: string;
  readonly button: string;
  /** The PG that is shown already. */
  readonly value?: string;
  readonly onPg: (pool: number, ps: number) => void;
}) {
  const [text, setText] = useState(value);
  const [isWrong, setWrong] = useState(false);
  useEffect(() => {
    setText(value);
    setWrong(false);
  }, [value]);
  return (
    <form
      class="pg-field"
      onSubmit={(event) => {
        event.preventDefault();
        const pg = parsePg(text);
        setWrong(pg === undefined);
        if (pg !== undefined) onPg(pg.pool, pg.ps);
      }}
    >
      <label>
        {label}{' '}
        <input
          type="text"
          size={9}
          value={text}
          placeholder="4.1f"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-invalid={isWrong}
          onInput={(event) => {
            setWrong(false);
            setText(event.currentTarget.value);
          }}
        />
      </label>
      <button type="submit">{button}</button>
      {isWrong && <span role="alert">A PG looks like 4.1f: pool 4, seed 1f in hexadecimal.</span>}
    </form>
  );
}
