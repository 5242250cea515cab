import { Button, Group, Modal, Stack, Text, type ModalProps } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { ProblemAlert } from './ProblemAlert';

interface FormProps {
  /** What it does, in a sentence before the fields. */
  explain?: ReactNode;
  /** The words of the button that sends, and its colour where it is no ordinary one. Without them there is nothing to send. */
  submit?: string;
  colour?: string;
  error?: unknown;
  /** Fields that mark their own problems. */
  marked?: string[];
  pending: boolean;
  disabled?: boolean;
  /** What stands across from the buttons: to remove, to try. */
  aside?: ReactNode;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
  children?: ReactNode;
}

/** The fields of a dialog and its buttons; Enter sends. */
export function DialogForm({ explain, submit, colour, error, marked, pending, disabled, aside, onSubmit, onClose, children }: FormProps) {
  return (
    <form noValidate onSubmit={(event) => { event.preventDefault(); onSubmit(event); }}>
      <Stack gap="md">
        {explain && <Text size="sm" className="muted">{explain}</Text>}
        {children}
        <ProblemAlert error={error} marked={marked} />
        <Group gap="sm">
          {aside}
          <Group gap="sm" ml="auto">
            <Button variant="default" onClick={onClose}>{submit ? 'Cancel' : 'Close'}</Button>
            {submit && <Button type="submit" color={colour} loading={pending} disabled={disabled}>{submit}</Button>}
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

interface Props extends FormProps {
  title: string;
  size?: ModalProps['size'];
}

/** A dialog that asks and sends. Once something was typed, neither Escape nor a stray click beside it loses it. */
export function FormDialog({ title, size, ...form }: Props) {
  const [typed, setTyped] = useState(false);
  return (
    <Modal opened onClose={form.onClose} size={size} title={title} closeOnClickOutside={!typed} closeOnEscape={!typed} onInput={() => setTyped(true)}>
      <DialogForm {...form} />
    </Modal>
  );
}
