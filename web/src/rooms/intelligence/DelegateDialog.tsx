import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Approval } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { words } from '../../display/wording';
import { delegate, useChange } from './queries';

/** One's signature, left to another person for this request alone. */
export function DelegateDialog({ of: approval, onClose }: { of: Approval; onClose: () => void }) {
  const [to, setTo] = useState('');
  const [comment, setComment] = useState('');
  const change = useChange(delegate);
  const wrong = fieldMessages(change.error).to;
  const mine = approval.can_sign.map((name) => words(name).toLowerCase()).join(' and ');
  return (
    <FormDialog
      title="Delegate this signature"
      submit="Delegate"
      error={wrong ? undefined : change.error}
      pending={change.isPending}
      disabled={to.trim() === ''}
      onClose={onClose}
      explain={`Someone else signs as ${mine} instead of you, for this request only. They cannot be the requester or have signed already.`}
      onSubmit={() =>
        change.mutate(
          { id: approval.id, to: to.trim(), comment: comment.trim() || undefined },
          {
            onSuccess: () => {
              announce('Delegated.');
              onClose();
            },
          },
        )
      }
    >
      <TextInput
        label="Their e-mail address"
        type="email"
        withAsterisk
        data-autofocus
        value={to}
        error={wrong && `This ${wrong}`}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <TextInput
        label="Comment (kept in the audit log)"
        placeholder="Optional"
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
