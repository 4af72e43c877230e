/** The theme of VitePress, with room for lines of 120 characters of code: the programs have them. */
import DefaultTheme from 'vitepress/theme-without-fonts';
import './style.css';

export default DefaultTheme;
