import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { Select } from '../../../display/Select';
import { options } from '../../../display/wording';
import { PRIORITY_ORDER } from '../priorities';
import { useChange } from '../queries';
import { createIncident, type IncidentSummary } from './queries';

/** Opens an incident that no finding opened. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const [severity, setSeverity] = useState<IncidentSummary['severity']>('medium');
  const create = useChange(createIncident);
  return (
    <FormDialog
      title="Open an incident"
      explain="Security findings open theirs automatically. Open one for what a person reports."
      submit="Open incident"
      error={create.error}
      pending={create.isPending}
      disabled={!title.trim()}
      onSubmit={() =>
        create.mutate(
          { title, description, severity },
          {
            onSuccess: () => {
              announce('Incident opened.');
              onClose();
            },
          },
        )
      }
      onClose={onClose}
    >
      <TextInput
        label="Title"
        required
        maxLength={200}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Select
        label="Severity"
        data={options(PRIORITY_ORDER)}
        value={severity}
        onChange={(value) => value && setSeverity(value as IncidentSummary['severity'])}
      />
      <Textarea
        label="Description"
        autosize
        minRows={3}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
