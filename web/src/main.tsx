/** The page's start. */
import { render } from 'preact';
import { App } from './app/app.tsx';
import './styles/page.css';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
